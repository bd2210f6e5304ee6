/** The list of the guides, which is written by the site's build. */
import '../parts/theme.css';
import '../parts/layout.css';
import './guides.css';
