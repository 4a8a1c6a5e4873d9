# Builds one file that needs no Swift on the machine it runs on, and installs it with its manual
# page and its completions.
#
#   make                          build
#   make install PREFIX=~/.local  install (default /usr/local; DESTDIR for packages)
#   make uninstall PREFIX=…       remove the same files

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(DESTDIR)$(PREFIX)/bin
SHAREDIR = $(DESTDIR)$(PREFIX)/share
# A folder of its own: other flags, and nothing of other builds is made anew.
BUILD = swift build -c release --product freshet --static-swift-stdlib -Xlinker -s \
  -Xlinker -L$(CURDIR)/.build/static-libraries --scratch-path .build/static
# Foundation's networking calls libcurl. Its development files are only a name for the library that is
# there anyway: where they are missing, the name is made here.
CURL = $(firstword $(shell PATH="$$PATH:/sbin:/usr/sbin" ldconfig -p | awk '/libcurl\.so\.4 / { print $$NF }'))
BUILT = $(shell $(BUILD) --show-bin-path)/freshet

.PHONY: build install uninstall
build:
	mkdir -p .build/static-libraries
	[ -z "$(CURL)" ] || ln -sf "$(CURL)" .build/static-libraries/libcurl.so
	$(BUILD)

install: build
	install -d $(BINDIR) $(SHAREDIR)/man/man1 $(SHAREDIR)/bash-completion/completions \
	  $(SHAREDIR)/zsh/site-functions $(SHAREDIR)/fish/vendor_completions.d
	install -m 755 $(BUILT) $(BINDIR)/freshet
	$(BINDIR)/freshet man --format text >$(SHAREDIR)/man/man1/freshet.1
	$(BINDIR)/freshet completions bash --format text >$(SHAREDIR)/bash-completion/completions/freshet
	$(BINDIR)/freshet completions zsh --format text >$(SHAREDIR)/zsh/site-functions/_freshet
	$(BINDIR)/freshet completions fish --format text >$(SHAREDIR)/fish/vendor_completions.d/freshet.fish

uninstall:
	rm -f $(BINDIR)/freshet $(SHAREDIR)/man/man1/freshet.1 \
	  $(SHAREDIR)/bash-completion/completions/freshet $(SHAREDIR)/zsh/site-functions/_freshet \
	  $(SHAREDIR)/fish/vendor_completions.d/freshet.fish
