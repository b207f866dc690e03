package aimemsuite

import "github.com/satchel-memory/satchel/conformance"

// absent returns the rows that cannot be tried over HTTP.
func absent() []conformance.Absence {
	inside := "what happens in the server without a request cannot be seen over HTTP"
	store := "what lies in the store cannot be seen over HTTP"
	files := "it is about files and the command line"
	return []conformance.Absence{
		{"AIMEM-0-1", files},
		{"AIMEM-0-2", "what a server asks of others cannot be seen over HTTP"},
		{"AIMEM-0-4", store},
		{"AIMEM-1.1-1", "it is about how the text is read"},
		{"AIMEM-1.2-4", inside},
		{"AIMEM-2.2-8", "long memories cannot be made over this profile"},
		{"AIMEM-2.2-15", inside},
		{"AIMEM-2.2-18", inside},
		{"AIMEM-2.3-6", "it is about how a server is set up"},
		{"AIMEM-2.7-6", "vectors of several models cannot be made over this profile"},
		{"AIMEM-2.7-9", inside},
		{"AIMEM-2.7-10", inside},
		{"AIMEM-2.8-9", files},
		{"AIMEM-2.9-5", "it is about documentation"},
		{"AIMEM-2.9-8", "it needs a second owner"},
		{"AIMEM-3.1-16", "it would take a memory of more than 16 MiB"},
		{"AIMEM-5.1-1", inside},
		{"AIMEM-5.1-2", inside},
		{"AIMEM-5.1-3", inside},
		{"AIMEM-5.1-4", "single chunks cannot be deleted over this profile"},
		{"AIMEM-5.1-5", inside},
		{"AIMEM-5.1-6", inside},
		{"AIMEM-5.1-7", inside},
		{"AIMEM-5.2-3", store},
		{"AIMEM-5.2-4", "it takes an erasure in the middle of an export, which a run does not do to a server"},
		{"AIMEM-5.2-5", "it takes a crash"},
		{"AIMEM-5.2-6", store},
		{"AIMEM-5.2-7", store},
		{"AIMEM-5.2-8", "it needs a second owner"},
		{"AIMEM-5.3-3", files},
		{"AIMEM-5.3-5", "the form of signatures needs a reader of CBOR; 5.3-4 tries what it says"},
		{"AIMEM-5.3-8", store},
		{"AIMEM-5.5-2", store},
		{"AIMEM-6.1-2", files},
		{"AIMEM-7-3", "it is about how versions are numbered"},
	}
}
