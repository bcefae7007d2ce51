/** The greeting: who invites, to what, and what will happen. Nothing starts before the button. */
import type { VisitState } from '../state/visit';
import { Frame } from './frame';
import { useTexts } from './language';
import { BusyButton } from './busy-button';

interface WelcomeProps {
  state: Extract<VisitState, { kind: 'welcome' }>;
  onBegin: () => void;
}

export function Welcome({ state, onBegin }: WelcomeProps) {
  const texts = useTexts();
  const { company, vacancyTitle, questions, minutes } = state.invite;
  const { kicker, lead, asks, points, begin, opening, failed } = texts.welcome;
  return (
    <Frame>
      <title>{texts.documentTitle(company, vacancyTitle)}</title>
      <p className="kicker">{kicker(company)}</p>
      <h1 className="page-title page-title-large">{vacancyTitle}</h1>
      <p className="lead">{lead(questions, minutes)}</p>
      <ul className="points">
        {[asks[state.invite.interviewer], ...points].map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <div className="actions">
        <BusyButton className="button" isBusy={state.isOpening} onClick={onBegin}>
          {state.isOpening ? opening : begin}
        </BusyButton>
      </div>
      <p className="form-error" role="alert">
        {state.problem === null ? '' : failed}
      </p>
    </Frame>
  );
}
