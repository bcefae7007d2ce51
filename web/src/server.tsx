/** The server's part of the page: renders the first view of an open link, and the front pages. */
import { renderToString } from 'react-dom/server';
import type { InviteView } from './api/wire';
import { Invited, brandOf } from './app';
import { Branded } from './components/brand';
import { LanguageContext } from './components/language';
import { dictionaries } from './i18n/dictionary';
import { welcomeTo } from './state/visit';

export { renderFrontPage } from './front/front-pages';

const nothing = () => undefined;

/** `title`: the document's title element. `body`: what the page's root contains. */
export function renderInvite(invite: InviteView): { title: string; body: string } {
  const { language } = invite;
  const state = welcomeTo(invite);
  const html = renderToString(
    <LanguageContext value={{ language, texts: dictionaries[language], choose: nothing }}>
      <Branded brand={brandOf(state)}>
        <Invited state={state} onBegin={nothing} onNotMine={nothing} />
      </Branded>
    </LanguageContext>,
  );
  // React writes the title among the other elements; it belongs into the document's head.
  const title = /<title>[^<]*<\/title>/.exec(html)?.[0] ?? '';
  return { title, body: html.replace(title, () => '') };
}
