// Control flow whose conditions differ from lane to lane.

kernel void if_else(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    if (x[i] > 10)
        out[i] = x[i] * 2;
    else if (x[i] > 5)
        out[i] = x[i] + 100;
    else if (x[i] & 1)
        out[i] = -x[i];
}

kernel void nested_if(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int r = 1;
    if (x[i] & 1) {
        r *= 3;
        if (x[i] & 2) {
            r *= 5;
            if (x[i] & 4)
                r *= 7;
            else
                r += 11;
        } else if (x[i] & 8) {
            r += 13;
        }
        r ^= 17;
    } else {
        if (x[i] & 4)
            r += 19;
    }
    out[i] = r;
}

kernel void loop_by_lane(global const int *n, global int *out)
{
    const size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < n[i]; k++)
        sum += k * k;
    out[i] = sum;
}

kernel void break_continue(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 40; k++) {
        if ((k + x[i]) % 3 == 0)
            continue;
        if (k * x[i] > 150)
            break;
        sum += k;
    }
    out[i] = sum;
}

kernel void early_return(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    if (x[i] < 3)
        return;
    for (int k = 0; k < 20; k++) {
        if (k == x[i]) {
            out[i] = 1000 + k;
            return;
        }
        out[i] += k;
    }
    out[i] = -1;
}

kernel void do_while(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint v = x[i], digits = 0;
    do {
        digits++;
        v /= 10;
    } while (v);
    out[i] = digits;
}

kernel void nested_loops(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int sum = 0;
    for (int a = 0; a < x[i]; a++)
        for (int b = a; b < x[i]; b += 2) {
            int c = 0;
            while (c * c < b + a)
                c++;
            if (c == 3)
                break;
            sum += c * b;
        }
    out[i] = sum;
}

// the outer loop goes on from inside the inner one
kernel void leave_two(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int sum = 0, a, b = 0;
    for (a = 0; a < 12; a++) {
        for (b = 0; b < 12; b++) {
            if (a * b == x[i])
                goto found;
            if (a + b > x[i])
                goto next;
            sum += a ^ b;
        }
    next:
        sum++;
    }
    sum += 10000;
found:
    out[i] = sum * 16 + a + b;
}

// not a loop by its syntax
kernel void goto_loop(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint v = x[i], steps = 0;
again:
    if (v <= 1)
        goto done;
    steps++;
    if (v & 1)
        goto odd;
    v >>= 1;
    goto again;
odd:
    v = 3 * v + 1;
    goto again;
done:
    out[i] = steps;
}

// two entries into one loop: irreducible
kernel void irreducible(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int v = x[i], sum = 0;
    if (v & 1)
        goto middle;
top:
    sum += v;
    v -= 2;
middle:
    sum += 3;
    v -= 1;
    if (v > 0)
        goto top;
    out[i] = sum;
}

kernel void switch_dense(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    switch (x[i]) {
    case 0: out[i] = 5; break;
    case 1: out[i] = x[i] * 9; break;
    case 2: out[i] = 77;
    case 3: out[i] += 1; break;
    case 4:
    case 5: out[i] = x[i] << 4; break;
    case 6: return;
    case 7: out[i] = 1 << x[i]; break;
    default: out[i] = -1;
    }
}

kernel void switch_sparse(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    const int v = (x[i] % 7) * 1000003 - 3000009;
    switch (v) {
    case -3000009: out[i] = 1; break;
    case -1000003: out[i] = 2; break;
    case 0: out[i] = 3; break;
    case 2000006: out[i] = 4; break;
    default: out[i] = v;
    }
}

kernel void switch_long(global const long *x, global int *out)
{
    const size_t i = get_global_id(0);
    switch (x[i] & 0x300000001l) {
    case 0: out[i] = 1; break;
    case 1: out[i] = 2; break;
    case 0x100000000l: out[i] = 3; break;
    case 0x200000001l: out[i] = 4; break;
    default: out[i] = 5;
    }
}

kernel void switch_in_loop(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint code = x[i], acc = 1;
    for (;;) {
        switch (code & 3) {
        case 0: acc += 3; break;
        case 1: acc *= 5; break;
        case 2: acc ^= code; code >>= 1; continue;
        case 3:
            if (acc & 1)
                goto out_of_both;
            acc |= 1;
        }
        code >>= 2;
        if (!code)
            break;
    }
out_of_both:
    out[i] = acc;
}

kernel void ternaries(global const int *x, global const int *y, global int *out)
{
    const size_t i = get_global_id(0);
    const int a = x[i], b = y[i];
    out[i] = a > b ? a > 2 * b ? a - b : b : a == b ? 7 : a < 0 ? -a : b < 0 ? -b : a ^ b;
}

int counted(int v, int *calls)
{
    ++*calls;
    return v;
}

kernel void short_circuit(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int calls = 0, r = 0;
    if (counted(x[i] & 1, &calls) && counted(x[i] & 2, &calls) || counted(x[i] & 4, &calls))
        r = 1;
    r += (counted(x[i] & 8, &calls) || counted(x[i] & 16, &calls)) * 2;
    out[i] = (calls++, r * 100 + calls);
}

__attribute__((noinline)) int leaf(int a, int b)
{
    if (a > b)
        return a - b;
    return b * 3 + a;
}

__attribute__((noinline)) int middle(int a, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += leaf(a, k);
    return sum;
}

kernel void calls(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    const int before = leaf(x[i], 7);
    if (x[i] & 1)
        out[i] = middle(x[i], x[i] & 7) + before;
    else
        out[i] = leaf(before, x[i]) * before;
}

__attribute__((noinline)) void many_arguments(int a, long b, float c, int4 d, char e, short f,
                                              uint g, ulong h, int8 k, global long *out)
{
    *out = a + b * 2 + (int)c * 3 + d.x + d.w * 5 + e * 7 + f * 11 + (long)g * 13 + (long)h * 17 +
           k.s0 * 19 + k.s7 * 23;
}

kernel void call_many(global const int *x, global long *out)
{
    const size_t i = get_global_id(0);
    const int v = x[i];
    many_arguments(v, (long)v << 20, v & 255, (int4)(v, 1, 2, v + 1), (char)v, (short)v, v, v,
                   (int8)(v, 0, 0, 0, 0, 0, 0, v - 1), out + i);
}

kernel void callee(global int *x, int by) { x[get_global_id(0)] += by * get_local_id(0); }

kernel void calls_kernel(global int *x)
{
    callee(x, 3);
    if (get_global_id(0) & 1)
        callee(x, 10);
}

// a loop whose bound is the same for the group, with divergence inside
kernel void uniform_outside(global const int *x, global int *out, int n)
{
    const size_t i = get_global_id(0);
    int acc = x[i];
    for (int k = 0; k < n; k++) {
        if (acc & 1)
            acc = acc * 3 + k;
        else
            acc = (acc >> 1) ^ n;
    }
    out[i] = acc;
}

// values of one side of a branch must survive the other side
kernel void survive(global const int *x, global int *out, int a, int b)
{
    const size_t i = get_global_id(0);
    const int p = a * 3 + b, q = a - b * 5;
    int r;
    if (x[i] & 1) {
        const int s = p * q;
        r = s + (int)get_group_id(0) + x[i];
    } else {
        const int s = p + q * 7;
        r = s * (int)get_num_groups(0) - x[i];
    }
    out[i] = r + p - q;
}

// the value of a uniform counter where lanes leave at different times
kernel void left_at(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int k = 0;
    while (1) {
        if (x[i] == k)
            break;
        if (k > 25)
            break;
        k++;
    }
    out[i] = k;
}

kernel void duff(global const int *x, global int *out)
{
    const size_t i = get_global_id(0);
    int n = (x[i] + 3) / 4, sum = 0;
    if (x[i] > 0)
        switch (x[i] % 4) {
        case 0:
            do {
                sum += 1;
        case 3: sum += 10;
        case 2: sum += 100;
        case 1: sum += 1000;
            } while (--n > 0);
        }
    out[i] = sum;
}

kernel void sizes(global uint *out)
{
    const size_t i = get_global_id(0);
    if (i == 0) {
        out[0] = sizeof(char) + 10 * sizeof(short) + 100 * sizeof(int) + 1000 * sizeof(long);
        out[1] = sizeof(float) + 10 * sizeof(size_t) + 100 * sizeof(global int *) +
                 1000 * sizeof(bool);
        out[2] = sizeof(char3) + 100 * sizeof(float3) + 10000 * sizeof(long4);
        out[3] = sizeof(struct { char a; long b; short c; });
    } else if (i > 3 && get_local_id(0) + get_group_id(0) * get_local_size(0) == i) {
        out[i] = get_global_size(0) + get_work_dim() + get_global_offset(0) + get_global_id(1) +
                 get_local_size(2) + get_num_groups(0) + get_global_size(2);
    }
}

kernel void ids(global uint *out)
{
    const size_t w = get_global_size(0), h = get_global_size(1);
    const size_t at = get_global_id(0) + w * (get_global_id(1) + h * get_global_id(2));
    out[at] = get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 |
              get_group_id(0) << 12 | get_group_id(1) << 16 | get_group_id(2) << 20 |
              get_num_groups(1) << 24;
}

// Loops of several blocks whose rounds are known: they end at a bound, where it is met, by wrapping around.
kernel void known_rounds(global const uint *x, global uint *out)
{
    const size_t i = get_global_id(0);
    uint a = x[i], s = 0;
    for (int m = 15; m > 0; m -= 3)
        if (a >> m & 1)
            s += m * a;
        else
            s ^= a >> m;
    for (ushort m = 65530; m != 4; m += 2)
        if ((a ^ m) & 2)
            s = s * 3 + m;
    for (int m = 0; m <= 20; m += 7)
        s += a & 1 << m ? m ^ s >> 1 : 5;
    for (long m = -20; m < -4; m += 4)
        if (a & 1 << -m)
            s ^= (uint)m * a;
    for (char m = 100; m > 0; m += 9) {
        s -= m;
        if (s & 4)
            s *= 5;
    }
    for (uint m = 4; m-- > 0;)
        if (s >> m & 8)
            a += s ^ m;
    out[i] = s ^ a;
}

// Two values that a loop carries, and their sum or difference in each round.
kernel void carried(global const int *x, global int *limit, global int *out)
{
    const size_t i = get_global_id(0);
    uint n = 0, s = 0;
    for (int k = 0; k < limit[2 * i] + limit[2 * i + 1]; k++) {
        s = s * 3 + k;
        if ((x[i] + s) % 4 == 1) {
            limit[2 * i] -= s & 3;
            limit[2 * i + 1] += s & 1;
        }
        n += limit[2 * i] - limit[2 * i + 1];
    }
    out[i] = s ^ n;
}
