# Run inside the sandbox before each program that the agent starts; shipped in as text.
#
# The same as launch.py, step by step, for machines with a Perl: it is there in 2 ms, Python in 16.
# Two lines are put before it by launcher_text: one that starts it, and what it is given. It loads
# no module: whatever is searched for could be somebody else's, and would run before the walls
# stand. The program's variables are never touched, and so arrive as they came.

# The numbers of system calls that differ between machines, and the limits; each as a number, for a
# string would be handed to the kernel as an address.
my ($PRCTL, $PRLIMIT, $processes, $memory, $size) = @GIVEN;

my ($CREATE_RULESET, $RESTRICT_SELF) = (444, 446);
my $ASK_VERSION = 1;
my $ADOPT_ORPHANS = 36;
my $NO_NEW_PRIVILEGES = 38;
# A domain has to rule over something: making character devices is what nobody here can do anyway.
my $MAKE_DEVICE = 1 << 6;
# Abstract unix sockets and signals stay within the domain.
my $SCOPES = 0b11;
my $SCOPES_SINCE = 6;
my ($FILE_SIZE, $DATA, $CORE, $PROCESSES) = (1, 2, 4, 6);
my ($NO_SUCH_CALL, $NOT_SUPPORTED) = (38, 95);
my $FAILED = 126;
my $MEGABYTE = 1 << 20;

if (!@ARGV) {
    print STDERR "treadle: not started, no command was given\n";
    exit $FAILED;
}
# One word is a shell line: so the agent hands over what its own shell would have run.
my $shell = -x "/bin/bash" ? "/bin/bash" : "/bin/sh";
my @command = @ARGV == 1 ? ($shell, "-c", $ARGV[0]) : @ARGV;

limit($PROCESSES, $processes);
# Data, not address space: several runtimes reserve far more of that than they ever use.
limit($DATA, $memory * $MEGABYTE);
limit($FILE_SIZE, $size * $MEGABYTE);
limit($CORE, 0);
separate();
# As a list with its program named, it never goes through a shell.
exec { $command[0] } @command;
not_started();

sub limit {
    my ($kind, $most) = @_;
    my $there = pack "QQ", 0, 0;
    checked(syscall $PRLIMIT, 0, $kind, 0, $there);
    # No limit is the greatest of all numbers, so it needs no case of its own.
    my (undef, $hard) = unpack "QQ", $there;
    $most = $hard if $hard < $most;
    my $wanted = pack "QQ", $most, $most;
    checked(syscall $PRLIMIT, 0, $kind, $wanted, 0);
}

sub separate {
    # What a server loses track of is still the server's, and ends with it.
    checked(syscall $PRCTL, $ADOPT_ORPHANS, 1, 0, 0, 0);
    my $version = syscall $CREATE_RULESET, 0, 0, $ASK_VERSION;
    if ($version < 0 && ($! == $NO_SUCH_CALL || $! == $NOT_SUPPORTED)) {
        return;    # a kernel without Landlock, which the probe has told of
    }
    my $ruled = pack "QQQ", $MAKE_DEVICE, 0, $SCOPES;
    $ruled = pack "Q", $MAKE_DEVICE if $version < $SCOPES_SINCE;
    my $rules = checked(syscall $CREATE_RULESET, $ruled, length $ruled, 0);
    checked(syscall $PRCTL, $NO_NEW_PRIVILEGES, 1, 0, 0, 0);
    # The kernel closes the rules by itself when the program is started.
    checked(syscall $RESTRICT_SELF, $rules, 0);
}

sub checked {
    my ($answer) = @_;
    not_started() if $answer < 0;
    return $answer;
}

sub not_started {
    my $number = $! + 0;
    print STDERR "treadle: not started, $command[0]: [Errno $number] $!\n";
    exit $FAILED;
}
