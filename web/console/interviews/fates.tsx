/** What an action did with each interview, with new links, and with the way back. */
import { useEffect, useState } from 'react';
import { ActionIcon, Button } from '@mantine/core';
import { useTexts } from '../language';
import { Moment } from '../moments';
import { BusyButton } from '../shell/busy-button';
import { useCopy } from '../shell/use-copy';
import type { OneFate, Outcome } from './outcome';
import { useInterviewTexts } from './texts';
import type { Actions } from './use-actions';

const LONG_MS = 60_000;

export function Fates({ outcome, actions }: { outcome: Outcome; actions: Actions }) {
  const texts = useInterviewTexts();
  const nameOf = useNames();
  const { action, done, refused } = outcome;
  const links = done.filter(({ fate }) => fate.link !== null);
  const later = action === 'remind' ? laterOf(done) : null;
  return (
    <section className="fates" aria-label={texts.fates}>
      <div className="fates-head">
        <p role="status">
          {done.length > 0 && <strong>{texts.done[action](done.length)}</strong>}
          {later !== null && (
            <span className="soft">
              {texts.reminderAt} <Moment at={later} />
            </span>
          )}
        </p>
        <UndoButton outcome={outcome} actions={actions} />
        <ActionIcon aria-label={texts.dismiss} onClick={actions.dismiss}>
          <span aria-hidden="true">×</span>
        </ActionIcon>
      </div>
      {refused.length > 0 && (
        <div>
          <p>{texts.notDone(refused.length)}</p>
          <ul>
            {refused.map((one) => (
              <li key={one.id}>
                {nameOf(one)}:{' '}
                <span className="soft">{texts.refusals[one.fate.refusal ?? 'failed']}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {links.length > 0 && <Links links={links} nameOf={nameOf} />}
    </section>
  );
}

function useNames(): (one: OneFate) => string {
  const { interviews } = useTexts();
  return ({ name }) => name ?? interviews.nameless;
}

/** When the last reminder goes, if that is not at once: it is night. */
function laterOf(done: readonly OneFate[]): string | null {
  const last =
    done
      .map(({ fate }) => fate.at ?? '')
      .sort()
      .at(-1) ?? '';
  return Date.parse(last) - Date.now() > LONG_MS ? last : null;
}

/** It goes when the time to take it back is over. */
function UndoButton({ outcome, actions }: { outcome: Outcome; actions: Actions }) {
  const texts = useInterviewTexts();
  const { undo } = outcome;
  const [isOver, setOver] = useState<Outcome | null>(null);
  useEffect(() => {
    if (undo === null) return undefined;
    const leftMs = Math.max(0, undo.untilMs - Date.now());
    const timer = window.setTimeout(() => setOver(outcome), leftMs);
    return () => window.clearTimeout(timer);
  }, [outcome, undo]);
  if (undo === null || isOver === outcome) return null;
  return (
    <BusyButton
      size="compact-md"
      variant="default"
      isBusy={actions.isBusy}
      onClick={() => void actions.undo()}
    >
      {texts.undo}
    </BusyButton>
  );
}

interface LinksProps {
  links: readonly OneFate[];
  nameOf: (one: OneFate) => string;
}

function Links({ links, nameOf }: LinksProps) {
  const texts = useInterviewTexts();
  const { copy, outcomeOf } = useCopy();
  const lineOf = (one: OneFate): string =>
    [nameOf(one), one.fate.link?.web, one.fate.link?.pin].join('\t');
  const all = links.map(lineOf).join('\n');
  const outcomes = [all, ...links.map(webOf)].map(outcomeOf);
  const isRefused = outcomes.includes('refused');
  return (
    <div>
      <p className="soft">{texts.linksOnce}</p>
      <ul className="fates-links">
        {links.map((one) => (
          <li key={one.id}>
            <strong>{nameOf(one)}</strong>
            <code>{one.fate.link?.web}</code>
            <span className="soft">
              {texts.pin} {one.fate.link?.pin}
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={texts.copy(nameOf(one))}
              onClick={() => void copy(webOf(one))}
            >
              {outcomeOf(webOf(one)) === 'done' ? texts.copied : texts.copyOne}
            </Button>
          </li>
        ))}
      </ul>
      {links.length > 1 && (
        <Button size="compact-sm" variant="default" onClick={() => void copy(all)}>
          {outcomeOf(all) === 'done' ? texts.copied : texts.copyAll}
        </Button>
      )}
      <p role="status" className={isRefused ? 'form-error' : 'for-readers'}>
        {isRefused ? texts.notCopied : outcomes.includes('done') ? texts.copied : ''}
      </p>
    </div>
  );
}

function webOf({ fate }: OneFate): string {
  return fate.link?.web ?? '';
}
