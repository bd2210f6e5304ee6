{{buffer}}_word = {{buffer}}_word | ({{element}} << ((i & {{last}}) * {{bits}}));
if (((i & {{last}}) == {{last}}) | (i + 1u == stop)) {
    {{place}} = {{buffer}}_word;
    {{buffer}}_word = 0u;
}
