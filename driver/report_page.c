/* report_page.c: the page of an experiment: viewer.html of share/report/ with the other files and the
 * experiment where it has place for them, so that one file is all there is. */
#include "driver/report.h"

static const struct {
    const char *name, *text;
} files[] = {
#include "driver/report_files.inc"
};

static const char *file_named(const char *name)
{
    for (size_t i = 0; i < COUNT(files); i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].text;
    BUG("share/report/ has no %s", name);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

/* All files of one kind, in the order of the table, which is that of the build. */
static void add_files(const char *ending, const char *begin, const char *end, struct text *out)
{
    for (size_t i = 0; i < COUNT(files); i++)
        if (ends_with(files[i].name, ending))
            text_printf(out, "%s\n%s%s\n", begin, files[i].text, end);
}

/* Inside of a script nothing may look like its end, or like a comment: no '<' stays. */
static void add_experiment(const struct text *experiment, struct text *out)
{
    text_addz(out, "<script type=\"application/json\" id=\"experiment\">\n");
    for (size_t at = 0; at < experiment->length;) {
        size_t n = strcspn(experiment->at + at, "<");
        text_add(out, experiment->at + at, n);
        at += n;
        if (at < experiment->length) {
            text_addz(out, "\\u003c");
            at++;
        }
    }
    text_addz(out, "</script>\n");
}

bool report_page(const struct text *experiment, struct text *out)
{
    static const char *const places[] = {"<!-- styles -->", "<!-- scripts -->", "<!-- experiment -->"};
    const char *at = file_named("viewer.html");
    for (const char *end; (end = strstr(at, "<!-- "));) {
        size_t k = 0;
        while (k < COUNT(places) && strncmp(end, places[k], strlen(places[k])) != 0)
            k++;
        text_add(out, at, (size_t)(end - at));
        if (k == 0)
            add_files(".css", "<style>", "</style>", out);
        else if (k == 1)
            add_files(".js", "<script>", "</script>", out);
        else if (k == 2)
            add_experiment(experiment, out);
        at = end + (k < COUNT(places) ? strlen(places[k]) : 1);
        if (k == COUNT(places))
            text_char(out, '<');
    }
    text_addz(out, at);
    return true;
}
