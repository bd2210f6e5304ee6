    {{store}}
