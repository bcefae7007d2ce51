/** The start of the recruiter's page: reads from the address which interview is meant. */
import { createRoot } from 'react-dom/client';
import { applyScheme, chosenScheme } from '../../console/look/scheme';
import { ConsoleApp } from './console-app';
import { ConsoleVisit } from './console-visit';
import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/pages.css';
import '../styles/console.css';
import '../../console/look/scheme.css';

// As the system has it, tokens.css shows it.
if (chosenScheme() !== 'system') applyScheme();

const ADDRESS = /^\/console\/transcripts\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

const visit = new ConsoleVisit(ADDRESS.exec(location.pathname)?.[1] ?? null);
void visit.load();

const root = document.getElementById('root');
if (root) createRoot(root).render(<ConsoleApp visit={visit} />);
