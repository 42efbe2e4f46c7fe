/* verbs_test.c: every verb of the command line runs out of memory at every place.
 *
 * kernc's main is called in a child, once to count what it takes from its host (failing.h), then again and
 * again with another one of these requests failing, alone or with all that come behind it. Either nobody
 * notices, or it exits with the code of a limit and says "memory", and leaves no file that is not whole. A
 * run of many requests is sampled; with KERNC_TEST_ALLOCATIONS=all (`make memory`) each fails.
 */
#include "base/base.h"
#include "driver/driver.h"
#include "test/memory/failing.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int kernc_main(int argc, char **argv);

/* What the others work on: made in the folder "in" of the temporary folder, beside "work", where all run. */
static const char *const inputs[] = {
    "build ../in/k.kern -o ../in/k.kbc",
    "build ../in/m.kern --target=warp-core -o ../in/m.wcb",
    "dis ../in/m.wcb -o ../in/m.s",
    "dump ../in/k.kern -o ../in/k.kir",
    "run ../in/m.wcb --kernel=m --grid=1 --block=8 --arg out=zeros(8) --arg n=2 --job=../in/m.json",
    "run ../in/k.kern --no-outputs --stats-json=../in/p.json --save=out=../in/out.npy "
    "--save=out=../in/out.png:4x2 "
    "--save=out=../in/out.txt --save=p=../in/p.npy --save=out=../in/out.ppm:4x2 --save=out=../in/out.bin",
};

/* Words behind "kernc". */
static const char *const lines[] = {
    "--help",
    "run --help",
    "run --limit=help",
    "run --scheme=help",
    "build -fhelp",
    "run --no-such-option",
    "build ../in/no-such-file.kern",
    "build ../in/k.kern -O7",
    "build ../in/k.kern",
    "build ../in/k.kern -S -o - --remarks",
    "build ../in/k.kern --emit=dot --scheme=barrier -fpredict=auto --profile-use=../in/p.json",
    "build ../in/k.kern --emit=ir -Wall --diagnostics=json --scheme=tf-stack",
    "build ../in/m.kern --target=warp-core --emit=hex",
    "build ../in/m.kern --target=warp-core --emit=map --divergence=frontier -O1",
    "build ../in/m.kern --target=warp-core -S --time-passes -O0",
    "build ../in/k.kir -o - -O1",
    "build ../in/wrong.kern",
    "build ../in/wrong.kern --diagnostics=json",
    "build ../in/k.kern -cpp -DHALF=2 -o -",
    "fix ../in/fix.kern",
    "fix ../in/fix.kern -o - --diagnostics=json",
    "dump ../in/k.kern",
    "dump ../in/k.kern --ast -o tree.txt",
    "dump ../in/k.kern --dump-dir=. --scheme=struct",
    "dump ../in/m.kern --dump-dir=. --target=warp-core --stats",
    "dump ../in/k.kern --print-changed=diff -O1",
    "dump ../in/k.kern --csc-table --remarks=json",
    "dump ../in/k.kern --analysis=cfg,pdg,uniformity,tokens,pst --form=dot -O1",
    "run ../in/k.kern",
    "run ../in/k.kern --no-outputs --threads=2 --grid=4 --scheme=barrier --stats --profile --steps",
    "run ../in/k.kern --no-outputs --scheme=oracle --anchors=random:1 --check=uniformity -O1",
    "run ../in/k.kern --no-outputs --scheme=tf-sandy --check=frontier --trace=t.json -O1",
    "run ../in/k.kern --no-outputs --scheme=tf-stack --trace=t.vcd -O0",
    "run ../in/k.kern --no-outputs --scheme=struct --check=all --stats-json=s.json -O0",
    "run ../in/race.kern --check=all",
    "run ../in/race.kern --check=race --diagnostics=json --stats-json=-",
    "run ../in/trap.kern",
    "run ../in/trap.kern --diagnostics=json --target=warp-core",
    "run ../in/k.kern --no-outputs --fuel=3",
    "run ../in/k.kbc --kernel=k --block=8 --arg out=@../in/out.npy --arg f=zeros(8) --arg p=@../in/p.npy "
    "--arg n=1 "
    "--show=p[0..2].x --save=out=a.npy --save=p=a.csv --save=out=a.txt --save=f=a.bin",
    "run ../in/k.kbc --kernel=k --block=8 --arg out=@../in/out.png --arg f=@../in/out.ppm --arg p=zeros(8) "
    "--arg n=1 "
    "--save=out=a.ppm:4x2 --save=out=a.png:4x2 --save=f=a.pgm:6x4",
    "run ../in/k.kbc --kernel=k --block=8 --arg out=@../in/out.txt --arg f=random(8,1,0,1) --arg p=zeros(8) "
    "--arg n=1 "
    "--libm --time",
    "run ../in/m.kern --target=warp-core --stats --profile --cores=2 --trace=t.txt --launch=1",
    "run ../in/m.wcb --kernel=m --block=8 --arg out=zeros(8) --arg n=2 --steps --trace=t.vcd "
    "--stats-json=s.json",
    "run ../in/m.wcb --kernel=m --block=8 --arg out=zeros(8) --arg n=2 --job=j.json",
    "run ../in/m.json --stats",
    "compare ../in/m.kern --json=c.json --csv=c.csv --schemes=pdom,barrier,warp-core:rpc",
    "compare ../in/k.kern -O0",
    "compare ../in/race.kern -O0 --schemes=pdom,tf-stack",
    "report ../in/m.kern -o r.json --schemes=pdom,tf-stack -O1",
    "report ../in/trap.kern -o json.html --schemes=barrier -O0",
    "report ../in/wrong.kern -o r.json",
    "run ../in/goal.kern",
    "tune ../in/k.kern --json=t.json --warp=4 -O1",
    "asm ../in/m.s -o m.wcb",
    "asm ../in/m.s --emit=asm -o -",
    "dis ../in/m.wcb",
    "fuzz --count=1 --class=a --jobs=1 --setups=1",
    "fuzz --count=1 --class=g --print",
    "fuzz --count=1 --class=b --jobs=1 --setups=1 --csv=f.csv --keep=.",
    "fuzz --count=1 --class=a --jobs=1 --setups=1 --plant=race",
};

/* ---- one run -------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/kernc-memory-XXXXXX";

struct outcome {
    int status; /* as waitpid has it */
    struct text out, err;
};

static void outcome_free(struct outcome *o)
{
    text_free(&o->out);
    text_free(&o->err);
}

/* Of all children. */
static long *requests;

_Noreturn static void child(char *line, int out, int err, long k, bool onwards)
{
    char *argv[64] = {"kernc"};
    int argc = 1;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    for (size_t i = 0; i < COUNT(faults); i++)
        signal(faults[i], SIG_DFL); /* cmocka's would go on with its tests here */
    alarm(600);                     /* what hangs ends, on a busy machine too */
    failing_begin(k, onwards);
    int code = kernc_main(argc, argv);
    *requests = failing_end();
    fflush(NULL);
    _exit(code);
}

static void read_back(int fd, struct text *t)
{
    char buffer[4096];
    lseek(fd, 0, SEEK_SET);
    text_add(t, "", 0);
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
        text_add(t, buffer, (size_t)n);
    close(fd);
}

static struct outcome run(const char *line, long k, bool onwards)
{
    struct outcome o = {0};
    int out = memfd_create("out", 0), err = memfd_create("err", 0);
    char *copy = strdup(line);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child(copy, out, err, k, onwards);
    while (waitpid(pid, &o.status, 0) < 0 && errno == EINTR)
        ;
    free(copy);
    read_back(out, &o.out);
    read_back(err, &o.err);
    return o;
}

/* ---- what it has left behind ---------------------------------------------------------------------------- */

/* Times differ from run to run: of texts that may have some their numbers do not count. */
static void drop_numbers(struct text *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->length; i++)
        if (!strchr("0123456789.-+e \n", t->at[i]))
            t->at[kept++] = t->at[i];
    t->length = kept;
}

struct file {
    char *name;
    struct text text;
};
typedef VEC(struct file) files_vec;

static void take_files(struct arena *a, files_vec *files)
{
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct file f = {.name = arena_strdup(a, e->d_name, strlen(e->d_name)), .text = {.arena = a}};
        if (strcmp(f.name, ".") == 0 || strcmp(f.name, "..") == 0)
            continue;
        assert_null(file_read(f.name, SIZE_MAX / 2, &f.text));
        unlink(f.name);
        vec_push(a, files, f);
    }
    closedir(d);
}

static bool same_text(const char *line, struct arena *a, const struct text *x, const struct text *y)
{
    struct text p = {.arena = a}, q = {.arena = a};
    text_add(&p, x->at, x->length);
    text_add(&q, y->at, y->length);
    if (strstr(line, "time") || strstr(line, "json") || strstr(line, "stats") || strstr(line, "compare")) {
        drop_numbers(&p);
        drop_numbers(&q);
    }
    return p.length == q.length && memcmp(p.at, q.at, p.length) == 0;
}

static const struct file *find(const files_vec *files, const char *name)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(files->at[i].name, name) == 0)
            return &files->at[i];
    return NULL;
}

/* NULL, or what is wrong with a file that the run has left. */
static const char *wrong_file(const char *line, struct arena *a, const files_vec *files,
                              const files_vec *good)
{
    for (uint32_t i = 0; i < files->count; i++) {
        const struct file *f = &files->at[i], *g = find(good, f->name);
        if (!g)
            return arena_printf(a, "it leaves a file %s", f->name);
        if (!same_text(line, a, &f->text, &g->text))
            return arena_printf(a, "%s is not whole", f->name);
    }
    return NULL;
}

static const char *how(struct arena *a, int status)
{
    return WIFEXITED(status) ? arena_printf(a, "exit code %d", WEXITSTATUS(status))
                             : arena_printf(a, "%s", strsignal(WTERMSIG(status)));
}

/* ---- all places ----------------------------------------------------------------------------------------- */

struct expected {
    const char *line;
    const struct outcome *good;
    const files_vec *files;
    long count;
};

/* Whether all is well when the k-th request fails. */
static bool try(const struct expected *x, long k, bool onwards)
{
    struct arena a = {0};
    files_vec files = {0};
    struct outcome o = run(x->line, k, onwards);
    take_files(&a, &files);
    bool unnoticed = o.status == x->good->status && files.count == x->files->count &&
                     same_text(x->line, &a, &o.out, &x->good->out) &&
                     same_text(x->line, &a, &o.err, &x->good->err);
    bool reported = WIFEXITED(o.status) && WEXITSTATUS(o.status) == EXIT_LIMIT && strstr(o.err.at, "memory");
    const char *wrong = wrong_file(x->line, &a, &files, x->files);
    if (!wrong && !unnoticed && !reported)
        wrong = how(&a, o.status);
    if (wrong)
        print_error("kernc %s\n  without request %ld of %ld%s: %s\n%s\n", x->line, k, x->count,
                    onwards ? " and all behind it" : "", wrong, o.err.at);
    outcome_free(&o);
    arena_free(&a);
    return !wrong;
}

static void fail_everywhere(void **state)
{
    enum { TRIES = 4, MOST_FAILURES = 4 };
    struct expected x = {.line = *state};
    struct arena a = {0};
    files_vec files = {0};
    const char *how_many = getenv("KERNC_TEST_ALLOCATIONS");
    int failures = 0;
    struct outcome good = run(x.line, 0, false);
    take_files(&a, &files);
    x.good = &good;
    x.files = &files;
    x.count = *requests;
    long step = how_many && strcmp(how_many, "all") == 0 ? 1 : 1 + x.count / TRIES;
    if (!WIFEXITED(good.status))
        fail_msg("kernc %s: %s", x.line, how(&a, good.status));
    for (long k = 1; k <= x.count && failures < MOST_FAILURES; k += step)
        failures += !try(&x, k, false) + !try(&x, k, true);
    outcome_free(&good);
    arena_free(&a);
    assert_int_equal(failures, 0);
}

/* ---- set up --------------------------------------------------------------------------------------------- */

static void copy_input(const char *name)
{
    struct text t = {0};
    struct arena a = {0};
    assert_null(file_read(arena_printf(&a, "test/memory/inputs/%s", name), SIZE_MAX / 2, &t));
    assert_null(file_write(arena_printf(&a, "%s/in/%s", folder, name), t.at, t.length));
    text_free(&t);
    arena_free(&a);
}

static int set_up(void **state)
{
    static const char *const sources[] = {"k.kern",     "m.kern",   "trap.kern",
                                          "wrong.kern", "fix.kern", "race.kern"};
    struct arena a = {0};
    UNUSED(state);
    requests = mmap(NULL, sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mkdir(arena_printf(&a, "%s/in", folder), 0777), 0);
    assert_int_equal(mkdir(arena_printf(&a, "%s/work", folder), 0777), 0);
    for (size_t i = 0; i < COUNT(sources); i++)
        copy_input(sources[i]);
    assert_int_equal(chdir(arena_printf(&a, "%s/work", folder)), 0);
    arena_free(&a);
    for (size_t i = 0; i < COUNT(inputs); i++) {
        struct outcome o = run(inputs[i], 0, false);
        if (o.status)
            print_error("kernc %s: %s\n", inputs[i], o.err.at);
        assert_int_equal(o.status, 0);
        outcome_free(&o);
    }
    return 0;
}

static int tear_down(void **state)
{
    struct arena a = {0};
    UNUSED(state);
    int code = chdir("/") + system(arena_printf(&a, "rm -r '%s'", folder));
    arena_free(&a);
    return code;
}

/* One test a line; an argument: those that contain it alone. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(lines)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(lines); i++)
        if (argc < 2 || strstr(lines[i], argv[1]))
            tests[n++] = (struct CMUnitTest){lines[i], fail_everywhere, NULL, NULL, (void *)lines[i]};
    return _cmocka_run_group_tests("memory_verbs", tests, n, set_up, tear_down);
}
