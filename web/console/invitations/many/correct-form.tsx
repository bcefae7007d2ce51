/** The refused rows with what is wrong, to be corrected in place: only they are sent again. */
import { useEffect, useId, useRef, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useLanguage } from '../../language';
import { newUuid } from '../../new-uuid';
import { BusyButton } from '../../shell/busy-button';
import { useSession } from '../../shell/session';
import { sendImport } from '../calls';
import { renamed } from '../row';
import { useInvitationTexts, useProblemInWords } from '../texts';
import type { InvitationTexts } from '../texts';
import { correctedText, personIn, withCorrected } from './correction';
import type { CorrectedRow, SentRows } from './correction';
import type { ShownRow } from './import-view';
import { keepImport } from './kept-imports';

interface CorrectFormProps {
  batch: string;
  /** The slug. */
  vacancy: string;
  refused: readonly ShownRow[];
  sent: SentRows | null;
  onCorrected: (rows: SentRows) => void;
}

export function CorrectForm({ batch, vacancy, refused, sent, onCorrected }: CorrectFormProps) {
  const texts = useInvitationTexts();
  const { correct } = texts.import;
  const title = useId();
  const [rows, setRows] = useState(() => rowsOf(refused, sent));
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const { send, problem, isBusy } = useCorrection({ batch, vacancy, sent, onCorrected });
  const chosen = rows.filter(({ line }) => !left.has(line));
  const change = (line: number, at: number, value: string): void => {
    setRows(
      rows.map((row) =>
        row.line === line
          ? { line, cells: row.cells.map((cell, index) => (index === at ? value : cell)) }
          : row,
      ),
    );
  };
  const toggle = (line: number): void => {
    const next = new Set(left);
    if (!next.delete(line)) next.add(line);
    setLeft(next);
  };
  return (
    <section className="section correct" aria-labelledby={title}>
      <h2 id={title}>{correct.title(refused.length)}</h2>
      <p className="soft">{sent === null ? correct.gone : correct.text}</p>
      <ol>
        {refused.slice(0, MOST_SHOWN).map((row) => {
          const own = rows.find(({ line }) => line === row.fileLine);
          const isLeft = own !== undefined && left.has(own.line);
          return (
            <li key={`${row.importId} ${String(row.row)}`} data-left={isLeft}>
              <RowProblems row={row} sent={sent} cells={own?.cells ?? null} />
              {sent !== null && own !== undefined && (
                <>
                  <div className="correct-fields">
                    {sent.headers.map((header, at) => (
                      <TextInput
                        key={sent.names[at]}
                        size="sm"
                        label={header}
                        autoComplete="off"
                        disabled={isLeft}
                        error={row.problems.some(
                          ({ column }) => column === sent.names[at] || column === header,
                        )}
                        value={own.cells[at] ?? ''}
                        onChange={(event) => change(own.line, at, event.currentTarget.value)}
                      />
                    ))}
                  </div>
                  <Button
                    variant="subtle"
                    size="sm"
                    aria-pressed={isLeft}
                    onClick={() => toggle(own.line)}
                  >
                    {isLeft ? correct.left : correct.leave}
                  </Button>
                </>
              )}
            </li>
          );
        })}
      </ol>
      {sent !== null && rows.length > 0 && (
        <>
          <p className="form-error" role="alert">
            {problem}
          </p>
          <p>
            <BusyButton isBusy={isBusy || chosen.length === 0} onClick={() => void send(chosen)}>
              {correct.action(chosen.length)}
            </BusyButton>
          </p>
        </>
      )}
    </section>
  );
}

/** More rows are corrected in the file: nobody types into hundreds of fields. */
const MOST_SHOWN = 200;

/** What the server says of the row, with its line and the names of the person's own columns. */
function RowProblems({
  row,
  sent,
  cells,
}: {
  row: ShownRow;
  sent: SentRows | null;
  cells: readonly string[] | null;
}) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const person = sent === null || cells === null ? null : personIn(sent, cells);
  const nameOf = (column: string): string | undefined => {
    const at = sent?.names.indexOf(column) ?? -1;
    return at < 0 ? undefined : sent?.headers[at];
  };
  return (
    <div className="correct-row">
      <p>
        <strong>{lineText(texts, row)}</strong>{' '}
        <span className="soft">{person ?? row.externalId}</span>
      </p>
      {row.problems.map((problem) => (
        <p key={`${problem.code} ${problem.column ?? ''}`} className="correct-problem">
          {texts.problems[problem.code] ?? renamed(problem[language], nameOf)}
        </p>
      ))}
    </div>
  );
}

function lineText({ import: texts }: InvitationTexts, { fileLine, row }: ShownRow): string {
  return texts.line(fileLine ?? row);
}

function rowsOf(refused: readonly ShownRow[], sent: SentRows | null): CorrectedRow[] {
  return refused.slice(0, MOST_SHOWN).flatMap(({ fileLine }) => {
    const cells = fileLine === null ? undefined : sent?.rows.get(fileLine);
    return cells === undefined || fileLine === null ? [] : [{ line: fileLine, cells }];
  });
}

/** Sends the corrected rows as an import of their own, which belongs to the same file. */
function useCorrection({
  batch,
  vacancy,
  sent,
  onCorrected,
}: Pick<CorrectFormProps, 'batch' | 'vacancy' | 'sent' | 'onCorrected'>) {
  const { language } = useLanguage();
  const { user } = useSession();
  const inWords = useProblemInWords();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const last = useRef({ text: '', repeatKey: '' });
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const send = async (corrected: readonly CorrectedRow[]): Promise<void> => {
    if (isBusy || sent === null || corrected.length === 0) return;
    setBusy(true);
    setProblem('');
    const { text, lines } = correctedText(sent.names, corrected);
    if (last.current.text !== text) last.current = { text, repeatKey: newUuid() };
    const { repeatKey } = last.current;
    try {
      const { id, linkKey } = await sendImport(vacancy, new Blob([text]), { repeatKey, language });
      onCorrected(withCorrected(sent, corrected));
      keepImport({
        ...{ id, batch, userId: user.id, vacancy, linkKey, lines, addedLines: 0 },
        at: Date.now(),
      });
    } catch (error) {
      if (isShown.current) setProblem(inWords(error));
    } finally {
      if (isShown.current) setBusy(false);
    }
  };
  return { send, problem, isBusy };
}
