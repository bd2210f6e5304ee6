/** The list of the guides, which is written by the site's build. */
import '../parts/base.css';
import './guides.css';
