class Satchel < Formula
  desc "{{.Summary}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.Licence}}"

  on_macos do
    on_arm do
      url "{{.URL_darwin_arm64}}"
      sha256 "{{.SHA_darwin_arm64}}"
    end
    on_intel do
      url "{{.URL_darwin_amd64}}"
      sha256 "{{.SHA_darwin_amd64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL_linux_arm64}}"
      sha256 "{{.SHA_linux_arm64}}"
    end
    on_intel do
      url "{{.URL_linux_amd64}}"
      sha256 "{{.SHA_linux_amd64}}"
    end
  end

  def install
    bin.install "satchel"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/satchel.bash" => "satchel"
    fish_completion.install "completions/satchel.fish"
    zsh_completion.install "completions/_satchel"
    doc.install "LICENSE", "README.md", "licences.txt"
  end

  def caveats
    <<~TEXT
      Make your memory with: satchel init
      brew uninstall leaves it where it is; satchel doctor names the folder.
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/satchel --version")
  end
end
