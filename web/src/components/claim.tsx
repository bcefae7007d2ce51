/**
 * The page for a link to an interview that is open elsewhere; whoever opens it may be a stranger. It
 * shows what the interview is about and its disclosure, and asks whether it is the person's own.
 * Nothing happens before the yes: a preview must not use up a link that works once.
 */
import type { Disclosure } from '../api/wire';
import type { VisitState } from '../state/visit';
import { DisclosureText } from './disclosure-text';
import { Frame, PageTitle } from './frame';
import { useTexts } from './language';
import { BusyButton } from './busy-button';

interface ClaimProps {
  state: Extract<VisitState, { kind: 'welcome' }>;
  disclosure: Disclosure;
  onMine: () => void;
  onNotMine: () => void;
}

export function Claim({ state, disclosure, onMine, onNotMine }: ClaimProps) {
  const texts = useTexts();
  const { claim, consent, welcome } = texts;
  const { kind, company, vacancyTitle, language } = state.invite;
  return (
    <Frame>
      <title>{texts.documentTitle(company, vacancyTitle)}</title>
      <p className="kicker">{vacancyTitle}</p>
      <PageTitle>{claim.title}</PageTitle>
      <p className="lead">{claim.lead}</p>
      <p className="lead">{claim.other}</p>
      <DisclosureText text={disclosure.text} language={language} />
      {kind === 'continuation' && <p>{claim.once}</p>}
      <p className="form-error" role="alert">
        {state.problem === 'failed' && welcome.failed}
        {state.problem === 'outdated' && consent.outdated}
      </p>
      <div className="actions">
        <BusyButton className="button" isBusy={state.isOpening} onClick={onMine}>
          {state.isOpening ? welcome.opening : claim.mine}
        </BusyButton>
        <BusyButton className="button button-plain" isBusy={state.isOpening} onClick={onNotMine}>
          {claim.notMineButton}
        </BusyButton>
      </div>
    </Frame>
  );
}
