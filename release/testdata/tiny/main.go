// Command tiny stands for the program where a test looks at packages only: it is built in no time.
package main

func main() { println("tiny") }
