/** The greeting before anything exists: who invites, to what, and how it will go. */
import type { VisitState } from '../state/visit';
import { Frame } from './frame';
import { useTexts } from './language';

interface WelcomeProps {
  state: Extract<VisitState, { kind: 'welcome' }>;
  onBegin: () => void;
}

export function Welcome({ state, onBegin }: WelcomeProps) {
  const texts = useTexts();
  const { company, vacancyTitle } = state.invite;
  return (
    <Frame>
      <title>{texts.documentTitle(company, vacancyTitle)}</title>
      <p className="kicker">{texts.welcome.kicker(company)}</p>
      <h1 className="page-title page-title-large">{vacancyTitle}</h1>
      <p className="lead">{texts.welcome.lead}</p>
      <ul className="points">
        {texts.welcome.points.map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="button" disabled={state.isOpening} onClick={onBegin}>
          {state.isOpening ? texts.welcome.opening : texts.welcome.begin}
        </button>
      </div>
      <p className="form-error" role="alert">
        {state.hasFailed ? texts.welcome.failed : ''}
      </p>
    </Frame>
  );
}
