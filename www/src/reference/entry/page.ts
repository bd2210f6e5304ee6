/** The page of an entry; its content is written by the site's build. */
import '../../parts/theme.css';
import '../../parts/code.css';
import '../../parts/layout.css';
import '../reference.css';
