/** Takes over an interview that goes on, and leads to where one writes in it. */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { itemAt } from '../places';
import { BusyButton } from '../shell/busy-button';
import { failed } from '../shell/notice';
import { useSession } from '../shell/session';
import { useProblem } from '../shell/use-problem';
import { takeOverInterview } from './calls';
import type { InterviewInFull } from './calls';
import { useReadingTexts } from './texts';

const GOING_ON: readonly InterviewInFull['state'][] = [
  'opened',
  'started',
  'waiting_for_us',
  'needs_person',
];

export function TakeOver({ interview: { id, state } }: { interview: InterviewInFull }) {
  const { takeOver } = useReadingTexts();
  const problemOf = useProblem(useReadingTexts().problems);
  const { scopes } = useSession();
  const [, navigate] = useLocation();
  const [isBusy, setBusy] = useState(false);
  if (!GOING_ON.includes(state) || !scopes.includes('attention:write')) return null;
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      navigate(itemAt((await takeOverInterview(id)).id));
    } catch (error) {
      failed(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <BusyButton variant="default" size="sm" isBusy={isBusy} onClick={() => void run()}>
      {takeOver}
    </BusyButton>
  );
}
