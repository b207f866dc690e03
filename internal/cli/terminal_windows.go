package cli

import "golang.org/x/sys/windows"

// terminalName opens the console of a process wherever its streams go.
const terminalName = "CONOUT$"

// paints asks a console to understand the sequences of a [Style], and reports whether it
// does. Consoles before Windows 10 do not, and others only once they are asked.
func paints(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return false
	}
	console, mode := windows.Handle(f.Fd()), uint32(0)
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	if mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return true
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
