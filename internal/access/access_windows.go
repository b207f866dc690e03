package access

import (
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// OpenToOthers reports whether other users have access to the file or folder at path. It
// returns true as well if the access list cannot be read.
func OpenToOthers(path string, _ fs.FileInfo) bool {
	open, err := openToOthers(path)
	return open || err != nil
}

const read = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION

func openToOthers(path string) (bool, error) {
	trusted, err := trusted()
	if err != nil {
		return false, err
	}
	found, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, read)
	if err != nil {
		return false, err
	}
	owner, _, err := found.Owner()
	if err != nil {
		return false, err
	}
	list, _, err := found.DACL()
	if err != nil || list == nil { // without a list everybody has access
		return err == nil, err
	}
	if !among(owner, trusted) { // an owner can change the list
		return true, nil
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return false, err
		}
		switch entry.Header.AceType {
		case windows.ACCESS_DENIED_ACE_TYPE:
		case windows.ACCESS_ALLOWED_ACE_TYPE:
			if !among((*windows.SID)(unsafe.Pointer(&entry.SidStart)), trusted) {
				return true, nil
			}
		default: // a kind that may allow something
			return true, nil
		}
	}
	return false, nil
}

// trusted returns the accounts that may have access: the user, the system and administrators
// first, then the two entries that stand for the owner of a file.
func trusted() ([]*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("find the user: %w", err)
	}
	all := []*windows.SID{user.User.Sid}
	for _, kind := range []windows.WELL_KNOWN_SID_TYPE{windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid, windows.WinCreatorOwnerSid, windows.WinCreatorOwnerRightsSid} {
		sid, err := windows.CreateWellKnownSid(kind)
		if err != nil {
			return nil, err
		}
		all = append(all, sid)
	}
	return all, nil
}

func among(sid *windows.SID, list []*windows.SID) bool {
	for _, one := range list {
		if windows.EqualSid(sid, one) {
			return true
		}
	}
	return false
}

// Command is the command with which a person closes a file or folder to other users.
func Command(path string) string {
	rights := "F"
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rights = "(OI)(CI)F"
	}
	return fmt.Sprintf(`icacls "%s" /inheritance:r /grant:r "%%USERNAME%%:%s"`, path, rights)
}

// Close takes the access to a file or folder, and to what lies in it, from other users.
func Close(path string) error {
	trusted, err := trusted()
	if err != nil {
		return err
	}
	var entries []windows.EXPLICIT_ACCESS
	for _, sid := range trusted[:3] {
		entries = append(entries, windows.EXPLICIT_ACCESS{
			AccessPermissions: windows.GENERIC_ALL, AccessMode: windows.GRANT_ACCESS, Inheritance: windows.SUB_CONTAINERS_AND_OBJECTS_INHERIT,
			Trustee: windows.TRUSTEE{TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeType: windows.TRUSTEE_IS_UNKNOWN, TrusteeValue: windows.TrusteeValueFromSID(sid)},
		})
	}
	list, err := windows.ACLFromEntries(entries, nil)
	if err != nil {
		return fmt.Errorf("close %s to others: %w", path, err)
	}
	const closed = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION // nothing is inherited from above
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, closed, nil, nil, list, nil); err != nil {
		return fmt.Errorf("close %s to others: %w", path, err)
	}
	return nil
}

// Enclose closes a new folder to other users. A new folder inherits the access list of the
// folder around it, and by default everybody has access to a drive.
func Enclose(path string) error {
	if open, err := openToOthers(path); err == nil && !open {
		return nil
	}
	return Close(path)
}
