// Package service holds the commands of satchel service, which let satchel serve run whenever
// its user is logged in, and take it from one release to the next.
//
// The folder satchel-service/NAME beside the usual store belongs to a service:
//
//	service.json             see record
//	satchel-SUM              a copy of the program that runs, to go back to after an upgrade
//	before-RELEASE-TIME.tar  the backup that the last upgrade made
//	serve.log                the output, where the system keeps no journal
//	running, stop            on Windows: who runs, and that it should end
package service
