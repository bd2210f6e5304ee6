{{coordinates}}
let place = {{place}};
var element = 0u;
// A negative index is a large one here.
if (place < {{extent}}) {
    element = {{picked}};
} else {
    atomicStore(&{{status}}, {{extent}} + 1u);
}
