/* plot.c: see plot.h. Lengths are pixels of a picture 600 wide. */
#include "test/bench/plot.h"
#include <math.h>
#include <stdio.h>

enum { WIDTH = 600, LEFT = 64, RIGHT = 52, TOP = 44, PANEL = 170, BETWEEN = 44, BOTTOM = 44 };

static const char *const colours[PLOT_LINES] = {"#1f5fa8", "#c2540a"};

struct place {
    struct text *out;
    const struct plot *plot;
    double top, high; /* of the panel: where it begins; the y at its upper edge */
};

static double x_of(const struct place *p, unsigned x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (x - 1.0) / (p->plot->n - 1.0);
}

static double y_of(const struct place *p, double y)
{
    return p->top + PANEL * (1 - y / p->high);
}

/* 1, 2 or 5 times a power of ten, so that at most six steps reach `high`. */
static double step_to(double high)
{
    double power = pow(10, floor(log10(high / 6))), times = high / 6 / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void write_at(struct text *out, double x, double y, const char *how, const char *words)
{
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, how, words);
}

static void rule(struct text *out, double x, double y, double to_x, double to_y, const char *how)
{
    text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x, y, to_x, to_y, how);
}

static void grid(struct place *p, const struct plot_panel *panel)
{
    static const char pale[] = "stroke=\"#e2e2e2\"";
    char label[32];
    double step = step_to(p->high);
    p->high = step * ceil(p->high / step);
    for (double y = 0; y < p->high + step / 2; y += step) {
        snprintf(label, sizeof label, "%.*f", step < 1, y);
        rule(p->out, LEFT, y_of(p, y), WIDTH - RIGHT, y_of(p, y), pale);
        write_at(p->out, LEFT - 8, y_of(p, y) + 4, "text-anchor=\"end\"", label);
    }
    for (unsigned x = 1; x <= p->plot->n; x = x == 1 ? 4 : x + 4) {
        snprintf(label, sizeof label, "%u", x);
        rule(p->out, x_of(p, x), p->top, x_of(p, x), p->top + PANEL, pale);
        write_at(p->out, x_of(p, x), p->top + PANEL + 18, "text-anchor=\"middle\"", label);
    }
    write_at(p->out, LEFT, p->top - 10, "font-weight=\"bold\"", panel->axis);
    rule(p->out, LEFT, y_of(p, panel->base), WIDTH - RIGHT, y_of(p, panel->base),
         "stroke=\"#666\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"");
    write_at(p->out, WIDTH - RIGHT + 8, y_of(p, panel->base) + 4, "fill=\"#666\"", panel->base_name);
}

static unsigned largest_of(const double *y, unsigned n)
{
    unsigned best = 0;
    for (unsigned i = 1; i < n; i++)
        if (y[i] > y[best])
            best = i;
    return best;
}

/* Where the largest value of another line lies so close above that two labels would cover each other. */
static bool is_crowded(const struct place *p, const struct plot_panel *panel, unsigned which)
{
    const struct plot_line *line = &panel->lines[which], *other = &panel->lines[!which];
    if (!other->name)
        return false;
    unsigned x = largest_of(line->y, p->plot->n), other_x = largest_of(other->y, p->plot->n);
    double above = other->y[other_x] - line->y[x];
    return above > 0 && above * PANEL / p->high < 20 && fabs(x_of(p, x) - x_of(p, other_x)) < 90;
}

/* Where the label stands: over the point, or under it and the line of the base. */
static double label_of(const struct place *p, const struct plot_panel *panel, unsigned which, double y)
{
    double base = y_of(p, panel->base), under = y + 20;
    if (!is_crowded(p, panel, which))
        return y - 8;
    return under > base - 4 && under < base + 16 ? base + 16 : under;
}

static void draw(const struct place *p, const struct plot_panel *panel, unsigned which)
{
    const struct plot_line *line = &panel->lines[which];
    unsigned best = largest_of(line->y, p->plot->n);
    double x = x_of(p, best + 1), y = y_of(p, line->y[best]);
    char how[128], number[32], label[64];
    text_printf(p->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" points=\"", colours[which],
                which ? "1.5" : "3.5"); /* both are seen where they have the same values */
    for (unsigned i = 0; i < p->plot->n; i++)
        text_printf(p->out, "%.1f,%.1f ", x_of(p, i + 1), y_of(p, line->y[i]));
    text_printf(p->out, "\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y,
                colours[which]);
    snprintf(number, sizeof number, panel->format, line->y[best]);
    snprintf(label, sizeof label, "%s at %u", number, best + 1);
    snprintf(how, sizeof how,
             "text-anchor=\"%s\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"4\" "
             "paint-order=\"stroke\"",
             best + 4 > p->plot->n ? "end" : "middle", colours[which]);
    write_at(p->out, x, label_of(p, panel, which, y), how, label);
    snprintf(how, sizeof how, "text-anchor=\"end\" fill=\"%s\"", colours[which]);
    write_at(p->out, WIDTH - RIGHT - 130.0 * which, p->top - 10, how, line->name);
}

static void draw_panel(struct place *p, const struct plot_panel *panel)
{
    p->high = panel->base;
    for (unsigned i = 0; i < PLOT_LINES && panel->lines[i].name; i++)
        p->high = fmax(p->high, panel->lines[i].y[largest_of(panel->lines[i].y, p->plot->n)]);
    p->high *= 1.12; /* room for what is written over the largest value */
    grid(p, panel);
    for (unsigned i = 0; i < PLOT_LINES && panel->lines[i].name; i++)
        draw(p, panel, i);
}

void plot_svg(const struct plot *p, struct text *out)
{
    double height = TOP + p->count * (PANEL + BETWEEN) + BOTTOM;
    struct place place = {.out = out, .plot = p};
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
                "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                WIDTH, height, WIDTH, height);
    write_at(out, LEFT, 22, "font-size=\"16\" font-weight=\"bold\"", p->title);
    for (unsigned i = 0; i < p->count; i++) {
        place.top = TOP + 20 + i * (PANEL + BETWEEN + 12);
        draw_panel(&place, &p->panels[i]);
    }
    write_at(out, (LEFT + WIDTH - RIGHT) / 2.0, height - 8, "text-anchor=\"middle\"", p->axis);
    text_addz(out, "</svg>\n");
}
