        // The length of a row is a multiple of four.
        if ((output_row < m) & (first_column < columns)) {
            let column4 = first_column / 4u;
            let o = (plane + output_row) * (n / 4u) + column4;
            let total = sum[r];
{{store}}
        }
