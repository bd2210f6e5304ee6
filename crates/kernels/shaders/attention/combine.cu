// Combines the partial results of the shares of the keys. A thread computes a vector of one query's
// result. The sums of a share are relative to its largest score.

typedef {{type}} Real;
typedef vec4<Real> Four;
const u32 VALUE_VECTORS = {{value_vectors}};

{{kernel}} {
{{words}}
    const u32 thread = block * {{threads}} + lane;
    if (thread >= {{results}}) return;
    const u32 shares = {{shares}};
    const u32 vector = thread % VALUE_VECTORS;
    const u32 row = thread / VALUE_VECTORS;
    Real largest = sizeof(Real) == 4 ? Real(-3.4028234663852886e38) : Real(-1.7976931348623157e308);
    Real all = 0;
    Four sum(0);
    for (u32 share = 0; share < shares; ++share) {
        const Real* const record = reinterpret_cast<const Real*>({{scratch}}) + (row * shares + share) * {{record}};
        const Real next = {{max}}(largest, record[0]);
        const Real before = {{exp}}(largest - next);
        const Real now = {{exp}}(record[0] - next);
        const Four values = reinterpret_cast<const Four*>(record)[1 + vector];
        all = all * before + record[1] * now;
        sum = Four(sum.x * before + values.x * now, sum.y * before + values.y * now, sum.z * before + values.z * now, sum.w * before + values.w * now);
        largest = next;
    }
{{finish}}
}
