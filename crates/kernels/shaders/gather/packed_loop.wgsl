{{coordinates}}
let source_index = {{source_index}};
var element = 0u;
// A negative index is a large one here.
if (source_index < {{extent}}) {
    element = {{picked}};
} else {
    atomicStore(&{{status}}, {{extent}} + 1u);
}
