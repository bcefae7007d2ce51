/**
 * The greeting: who invites, to what, and how it will go; or, for an interview that has begun on
 * another channel, that it goes on here. Nothing happens before the button: the link works once, and
 * a preview of it must not use it up.
 */
import type { VisitState } from '../state/visit';
import { Frame } from './frame';
import { useTexts } from './language';

interface WelcomeProps {
  state: Extract<VisitState, { kind: 'welcome' }>;
  onBegin: () => void;
}

export function Welcome({ state, onBegin }: WelcomeProps) {
  const texts = useTexts();
  const { kind, company, vacancyTitle } = state.invite;
  const isContinued = kind === 'continuation';
  const { kicker, lead, begin } = isContinued ? texts.continuation : texts.welcome;
  return (
    <Frame>
      <title>{texts.documentTitle(company, vacancyTitle)}</title>
      <p className="kicker">{kicker(company)}</p>
      <h1 className="page-title page-title-large">{vacancyTitle}</h1>
      <p className="lead">{lead}</p>
      {!isContinued && (
        <ul className="points">
          {texts.welcome.points.map(({ title, text }) => (
            <li key={title}>
              <strong>{title}</strong>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="actions">
        <button type="button" className="button" disabled={state.isOpening} onClick={onBegin}>
          {state.isOpening ? texts.welcome.opening : begin}
        </button>
      </div>
      <p className="form-error" role="alert">
        {state.hasFailed ? texts.welcome.failed : ''}
      </p>
    </Frame>
  );
}
