// One of several words of the turns, if it has an element.
if (((turn & {{last}}) == {{last}}) & (begin + turn < {{elements}} + {{last}})) {
    {{word}} = {{output}}_word;
    {{output}}_word = 0u;
}
