/**
 * An import while it runs and afterwards: how far it is, every row's fate, refused rows to correct, and the links.
 * It goes on without this page, which shows it again by its address.
 */
import { useId } from 'react';
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useLostFocus } from '../../../src/components/use-lost-focus';
import { Opening } from '../../frame';
import { focusPageTitle } from '../../shell/focus-back';
import { Sentence } from '../../shell/sentence';
import { useSession } from '../../shell/session';
import { useVacancies } from '../../vacancies';
import type { ImportRow } from '../calls';
import { useInvitationTexts, useProblemInWords } from '../texts';
import type { SentRows } from './correction';
import { CorrectForm } from './correct-form';
import { lineOf, useKeptImports } from './kept-imports';
import type { KeptImport } from './kept-imports';
import { LinksSection } from './links-section';
import { RowList } from './row-list';
import { useImports } from './use-import';
import type { FollowedImport } from './use-import';

interface ImportViewProps {
  /** The first import of the file. */
  batch: string;
  /** What was sent; null: the page was opened again. */
  sent: SentRows | null;
  onCorrected: (rows: SentRows) => void;
  moreHref: string;
}

/** A row in the order of the person's file, with what became of it at last. */
export interface ShownRow extends ImportRow {
  /** Of the person's file; null: it is not known. */
  readonly fileLine: number | null;
  readonly importId: string;
}

export function ImportView({ batch, sent, onCorrected, moreHref }: ImportViewProps) {
  const texts = useInvitationTexts();
  const inWords = useProblemInWords();
  const { user } = useSession();
  const { titles } = useVacancies();
  const kept = useKeptImports(user.id).filter((one) => one.batch === batch);
  const keptInOrder = kept.toSorted((a, b) => a.at - b.at);
  const ids = keptInOrder.length === 0 ? [batch] : keptInOrder.map(({ id }) => id);
  const followed = useImports(ids);
  const [first] = followed;
  const isFinished = followed.every(({ progress }) => progress?.state === 'finished');
  // Of the form of corrected rows.
  useLostFocus(isFinished, focusPageTitle);
  const problem = followed.find((one) => one.problem !== null)?.problem ?? null;
  if (problem !== null) {
    const isGone = problem.status === 404;
    return (
      <Sentence {...(isGone ? texts.import.unknown : { title: inWords(problem) })}>
        <Button component={Link} href={moreHref} variant="default">
          {texts.import.more}
        </Button>
      </Sentence>
    );
  }
  if (first === undefined || first.progress === null) return <Opening />;
  const { vacancy } = first.progress;
  const rows = mergedRows(followed, keptInOrder);
  const refused = rows.filter(({ state }) => state === 'refused');
  const total = first.progress.rows;
  return (
    <div className="import">
      <p className="page-lead">{texts.import.lead(titles.get(vacancy) ?? vacancy)}</p>
      <Progress rows={rows} total={total} isFinished={isFinished} refused={refused.length} />
      {isFinished && refused.length > 0 && (
        <CorrectForm
          key={refused.map(({ importId, row }) => `${importId} ${String(row)}`).join()}
          batch={batch}
          vacancy={vacancy}
          refused={refused}
          sent={sent}
          onCorrected={onCorrected}
        />
      )}
      {isFinished && rows.some(({ state }) => state === 'created') && (
        <LinksSection vacancy={vacancy} kept={keptInOrder} ids={ids} sent={sent} />
      )}
      <RowList rows={rows} total={total} sent={sent} />
      <p>
        <Button component={Link} href={moreHref} variant="default">
          {texts.import.more}
        </Button>
      </p>
    </div>
  );
}

interface ProgressProps {
  rows: readonly ShownRow[];
  total: number;
  isFinished: boolean;
  refused: number;
}

function Progress({ rows, total, isFinished, refused }: ProgressProps) {
  const { import: texts } = useInvitationTexts();
  const label = useId();
  const done = rows.filter(({ state }) => state !== 'waiting').length;
  const created = rows.filter(({ state }) => state === 'created').length;
  return (
    <section className="import-progress">
      <p id={label} role="status">
        {isFinished ? texts.finished : texts.running(done, total)}
      </p>
      <div
        className="import-bar"
        role="progressbar"
        aria-label={texts.progress}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <span style={{ width: `${String(total === 0 ? 100 : (done / total) * 100)}%` }} />
      </div>
      <ul className="import-counts">
        <li data-state="created">{texts.created(created)}</li>
        <li data-state="refused">{texts.refused(refused)}</li>
        {!isFinished && <li data-state="waiting">{texts.waiting(total - done)}</li>}
      </ul>
      {!isFinished && <p className="soft">{texts.goesOn}</p>}
    </section>
  );
}

/**
 * A corrected row takes the place of the refused one in its line, and waits until it has its fate. What was left out
 * stays refused.
 */
function mergedRows(followed: readonly FollowedImport[], kept: readonly KeptImport[]): ShownRow[] {
  const rows = new Map<string, ShownRow>();
  for (const { id, rows: own } of followed) {
    const one = kept.find((each) => each.id === id) ?? null;
    for (const row of own) {
      const fileLine = lineOf(one, row);
      const key = fileLine === null ? `${id} ${String(row.row)}` : String(fileLine);
      rows.set(key, { ...row, fileLine, importId: id });
    }
    for (const line of one?.lines?.slice(own.length) ?? []) {
      const before = rows.get(String(line));
      if (before !== undefined)
        rows.set(String(line), { ...before, state: 'waiting', problems: [] });
    }
  }
  return [...rows.values()];
}
