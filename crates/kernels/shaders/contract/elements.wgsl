        for (var c = 0u; c < 4u; c++) {
            let output_column = first_column + c;
            if ((output_row < m) & (output_column < columns)) {
                let o = (plane + output_row) * n + output_column;
                let total = sum[r][c];
{{store}}
            }
        }
