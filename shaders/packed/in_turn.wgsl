// A thread has all elements of a word, of which the last one may have fewer.
let begin = i * {{count}}u;
let stop = min(begin + {{count}}u, {{elements}});
{{begun}}
for (var i = begin; i < stop; i++) {
{{body}}
}
