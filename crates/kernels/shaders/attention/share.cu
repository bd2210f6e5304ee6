Real* const record = reinterpret_cast<Real*>({{scratch}}) + (row * shares + share) * {{record}};
if (vector == 0) {
    record[0] = largest;
    record[1] = all;
}
reinterpret_cast<Four*>(record)[1 + vector] = sum;