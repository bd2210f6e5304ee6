/* A program in C that encodes calls as docs/calls.md describes. A request is a line on the standard
 * output, and its answer a line on the standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TENSOR = 2, TENSORS = 3, INT = 6, FLOAT = 7 };

/* The tag before the name of an argument. */
static const double NAME = -1;

struct call {
    double words[32];
    int count;
    const char *strings[4];
    int texts;
};

static void push(struct call *call, double word) { call->words[call->count++] = word; }

static void push_tensor(struct call *call, double handle) {
    push(call, TENSOR);
    push(call, handle);
}

static void push_tensors(struct call *call, int count, const double *handles) {
    push(call, TENSORS);
    push(call, count);
    for (int i = 0; i < count; i++) push(call, handles[i]);
}

static void push_number(struct call *call, enum kind kind, double value) {
    push(call, kind);
    push(call, value);
}

static void push_name(struct call *call, const char *name) {
    push(call, NAME);
    push(call, call->texts);
    call->strings[call->texts++] = name;
}

/* The answer to the last request. */
static char answer[512];

static void wait_for_answer(void) {
    putchar('\n');
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin)) exit(2);
}

static double upload(int count, const float *values) {
    printf("upload %d", count);
    for (int i = 0; i < count; i++) printf(" %.9g", values[i]);
    wait_for_answer();
    return atof(answer);
}

/* The handle of the first result, which follows the index of the overload; -1 for an error. */
static double run(const char *op, const struct call *call) {
    printf("call %s %d", op, call->count);
    for (int i = 0; i < call->count; i++) printf(" %.17g", call->words[i]);
    for (int i = 0; i < call->texts; i++) printf(" %s", call->strings[i]);
    wait_for_answer();
    double overload, handle;
    return sscanf(answer, "%lf %lf", &overload, &handle) == 2 ? handle : -1;
}

static int has_values(double handle, int count, const double *expected) {
    printf("read %.17g", handle);
    wait_for_answer();
    char *rest = answer;
    for (int i = 0; i < count; i++)
        if (strtod(rest, &rest) != expected[i]) return 0;
    return strcspn(rest, "0123456789") == strlen(rest);
}

int main(void) {
    double x = upload(2, (float[]){1, 2}), y = upload(2, (float[]){10, 20});

    struct call add = {0};
    push_tensor(&add, x);
    push_tensor(&add, y);
    push_name(&add, "alpha");
    push_number(&add, FLOAT, 0.5);
    double sum = run("add", &add);
    if (!has_values(sum, 2, (double[]){6, 12})) return 3;

    struct call cat = {0};
    push_tensors(&cat, 3, (double[]){x, y, sum});
    push_number(&cat, INT, 0);
    if (!has_values(run("cat", &cat), 6, (double[]){1, 2, 10, 20, 6, 12})) return 4;

    struct call alone = {0};
    push_tensor(&alone, x);
    if (run("add", &alone) != -1 || !strstr(answer, "the argument other is missing")) return 5;
    return 0;
}
