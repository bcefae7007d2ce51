/** The pages in front of the interviews. The server renders them; they need no script. */
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Language } from '../api/wire';
import { Icon, Mark } from '../components/icons';
import { frontTexts } from './texts';

/** What is shown, as the server knows it. */
export type FrontPage =
  | {
      kind: 'front';
      /** Interviews that anybody may try. */
      examples: readonly { url: string; title: string; company: string; language: Language }[];
      hasRecruiters: boolean;
      hasApi: boolean;
      hasHandbook: boolean;
    }
  | { kind: 'recruiters'; isOff: boolean; unreadable: string | null }
  | { kind: 'not_found' }
  | { kind: 'unavailable' };

interface PageProps<Kind extends FrontPage['kind']> {
  language: Language;
  page: Extract<FrontPage, { kind: Kind }>;
}

/** `title`: the document's title element. `body`: what the page's root contains. */
export function renderFrontPage(
  page: FrontPage,
  language: Language,
): { title: string; body: string } {
  const html = renderToStaticMarkup(contentOf(page, language));
  const title = /<title>[^<]*<\/title>/.exec(html)?.[0] ?? '';
  return { title, body: html.replace(title, () => '') };
}

function contentOf(page: FrontPage, language: Language): ReactNode {
  switch (page.kind) {
    case 'front':
      return <Front page={page} language={language} />;
    case 'recruiters':
      return <Recruiters page={page} language={language} />;
    case 'not_found':
      return <NotFound language={language} />;
    case 'unavailable':
      return <Unavailable language={language} />;
  }
}

interface FrontFrameProps {
  language: Language;
  title: string;
  /** The page has the other language at `?language=`. */
  hasLanguages: boolean;
  /** What was entered in the page's form, which the other language shows too. */
  entered?: Readonly<Record<string, string>>;
  children: ReactNode;
}

function FrontFrame({ language, title, hasLanguages, entered, children }: FrontFrameProps) {
  const { otherLanguage: other } = frontTexts[language];
  const query = new URLSearchParams({ ...entered, language: other.language });
  return (
    <div className="frame">
      <title>{title}</title>
      <header className="frame-header">
        <a className="wordmark" href="/">
          <Mark />
          Colloquy
        </a>
        {hasLanguages && (
          <a className="quiet-button" lang={other.language} href={`?${query.toString()}`}>
            {other.name}
          </a>
        )}
      </header>
      <main className="frame-main front-main">{children}</main>
      <Mark className="watermark" />
    </div>
  );
}

function Front({ language, page }: PageProps<'front'>) {
  const { front } = frontTexts[language];
  return (
    <FrontFrame language={language} title="Colloquy" hasLanguages>
      <h1 className="page-title page-title-large">{front.title}</h1>
      <p className="lead">{front.lead}</p>
      <section className="front-section">
        <h2>{front.invited.title}</h2>
        <p>{front.invited.text}</p>
      </section>
      {page.examples.length > 0 && (
        <section className="front-section">
          <h2>{front.examples}</h2>
          <div className="entries entries-of-two">
            {page.examples.map((example) => (
              <Entry
                key={example.url}
                url={example.url}
                title={example.title}
                titleLanguage={example.language}
                text={front.example(example.company, example.language)}
              />
            ))}
          </div>
        </section>
      )}
      {(page.hasRecruiters || page.hasApi || page.hasHandbook) && (
        <section className="front-section">
          <h2>{front.others}</h2>
          <div className="entries entries-of-three">
            {page.hasRecruiters && <Entry url="/console" {...front.recruiters} />}
            {page.hasApi && <Entry url="/docs" {...front.api} />}
            {page.hasHandbook && <Entry url="/handbook/" {...front.handbook} />}
          </div>
        </section>
      )}
    </FrontFrame>
  );
}

interface EntryProps {
  url: string;
  title: string;
  titleLanguage?: Language;
  text: string;
}

function Entry({ url, title, titleLanguage, text }: EntryProps) {
  return (
    <a className="entry" href={url}>
      <strong lang={titleLanguage}>{title}</strong>
      <span className="entry-text">{text}</span>
      <Icon name="forward" />
    </a>
  );
}

function Recruiters({ language, page }: PageProps<'recruiters'>) {
  const texts = frontTexts[language].recruiters;
  const { unreadable } = page;
  return (
    <FrontFrame
      language={language}
      title={texts.title}
      hasLanguages
      {...(unreadable === null ? {} : { entered: { id: unreadable } })}
    >
      <h1 className="page-title">{texts.title}</h1>
      {page.isOff ? (
        <p className="lead">{texts.off}</p>
      ) : (
        <>
          <p className="lead">{texts.lead}</p>
          <form className="profile" action="/console/transcripts">
            <input type="hidden" name="language" value={language} />
            <p className="field">
              <label htmlFor="id">{texts.label}</label>
              <input
                id="id"
                name="id"
                required
                maxLength={500}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                defaultValue={unreadable ?? ''}
                aria-invalid={unreadable !== null}
                aria-describedby="id-note"
              />
              <span
                id="id-note"
                className={unreadable === null ? 'field-note' : 'field-note field-note-missing'}
              >
                {unreadable === null ? texts.note : texts.unreadable}
              </span>
            </p>
            <p className="actions">
              <button type="submit" className="button">
                {texts.open}
              </button>
            </p>
          </form>
        </>
      )}
    </FrontFrame>
  );
}

function NotFound({ language }: { language: Language }) {
  const { title, text, home } = frontTexts[language].notFound;
  return (
    <FrontFrame language={language} title={title} hasLanguages={false}>
      <h1 className="page-title">{title}</h1>
      <p className="lead">{text}</p>
      <p className="actions">
        <a className="button" href="/">
          {home}
        </a>
      </p>
    </FrontFrame>
  );
}

/** The server is busy or has a problem. The button loads the same address again. */
function Unavailable({ language }: { language: Language }) {
  const { title, text, again } = frontTexts[language].unavailable;
  return (
    <FrontFrame language={language} title={title} hasLanguages={false}>
      <h1 className="page-title">{title}</h1>
      <p className="lead">{text}</p>
      <p className="actions">
        <a className="button" href="">
          {again}
        </a>
      </p>
    </FrontFrame>
  );
}
