/** The start of the team's console. */
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { LanguageProvider } from './language';
import { applyScheme, followSystem } from './look/scheme';
import '../src/styles/fonts.css';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/styles/pages.css';
import './look/scheme.css';
import './look/entry.css';

applyScheme();
followSystem();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <LanguageProvider>
      <App />
    </LanguageProvider>,
  );
}
