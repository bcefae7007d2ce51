/** Invites many: rows are pasted or come from a file, the columns are chosen, and the file goes to the import. */
import { useMemo, useRef, useState } from 'react';
import type { DragEvent } from 'react';
import { Button, Textarea } from '@mantine/core';
import { useLanguage } from '../../language';
import { newUuid } from '../../new-uuid';
import { BusyButton } from '../../shell/busy-button';
import { useLeaveGuard } from '../../shell/leave-guard';
import { useSession } from '../../shell/session';
import { sendImport } from '../calls';
import { useInvitationTexts, useProblemInWords } from '../texts';
import { ColumnTable } from './column-table';
import { sentRowsOf } from './correction';
import type { SentRows } from './correction';
import { keepImport } from './kept-imports';
import { guessed, mappingProblem, peopleOf, sentOf } from './mapping';
import type { Mapping } from './mapping';
import { decoded, readTable } from './table';

interface ManyFormProps {
  /** Null: no vacancy is chosen. */
  slug: string | null;
  onNeeded: () => void;
  /** The import has begun; `rows` is null where the page cannot read the file. */
  onSent: (id: string, rows: SentRows | null) => void;
}

/** What a person has given: `text` is null where it cannot be shown. */
interface Source {
  readonly text: string | null;
  /** Null: it was pasted or typed. */
  readonly file: File | null;
}

const NOTHING: Source = { text: '', file: null };
/** As much as the server takes. */
const MAX_BYTES = 8 * 1024 * 1024;

export function ManyForm({ slug, onNeeded, onSent }: ManyFormProps) {
  const texts = useInvitationTexts();
  const [source, setSource] = useState(NOTHING);
  const [chosen, setChosen] = useState<Mapping | null>(null);
  const { text, file } = source;
  const isGiven = file !== null || (text ?? '').trim() !== '';
  const table = useMemo(() => (text === null ? null : readTable(text)), [text]);
  const guess = useMemo(() => (table === null ? null : guessed(table)), [table]);
  const mapping = chosen ?? guess;
  useLeaveGuard(() => isGiven);
  const give = (next: Source): void => {
    setSource(next);
    setChosen(null);
  };
  const take = async (given: File): Promise<void> => {
    const bytes = given.size > MAX_BYTES ? null : new Uint8Array(await given.arrayBuffer());
    give({ file: given, text: bytes === null ? null : decoded(bytes) });
  };
  const wrong = table === null || mapping === null ? null : mappingProblem(mapping);
  const people = table === null || mapping === null ? 0 : peopleOf(table, mapping).length;
  const isTooLarge = (file?.size ?? 0) > MAX_BYTES;
  const { send, problem, isBusy } = useSending({ slug, onNeeded, onSent });
  return (
    <section className="many-form" aria-label={texts.many.tab}>
      <p className="soft">{texts.many.lead}</p>
      {file === null ? (
        <SourceField
          text={text ?? ''}
          onText={(next) => give({ text: next, file: null })}
          take={take}
        />
      ) : (
        <p className="source-file">
          <span>{texts.many.chosen(file.name)}</span>
          <Button variant="default" size="sm" onClick={() => give(NOTHING)}>
            {texts.many.remove}
          </Button>
        </p>
      )}
      {isGiven && table !== null && mapping !== null && people > 0 && (
        <ColumnTable table={table} mapping={mapping} onChange={setChosen} />
      )}
      {text === null && !isTooLarge && <p>{texts.many.noPreview}</p>}
      {isGiven && (
        <>
          <p className="form-error" role="alert">
            {isTooLarge
              ? texts.many.tooLarge
              : people > 0 && wrong !== null
                ? texts.many.problems[wrong]
                : problem}
          </p>
          <p>
            <BusyButton
              isBusy={isBusy || isTooLarge || (people > 0 && wrong !== null)}
              onClick={() => void send(source, table, mapping)}
            >
              {people > 0 ? texts.many.action(people) : texts.many.actionOfFile}
            </BusyButton>
          </p>
        </>
      )}
    </section>
  );
}

/** The request, with what a page that is closed meanwhile needs to come back. */
function useSending({ slug, onNeeded, onSent }: ManyFormProps) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const { user } = useSession();
  const inWords = useProblemInWords();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  /** A repeat of the same request, after a lost connection, invites nobody twice. */
  const last = useRef({ what: '', repeatKey: '' });
  const send = async (
    { text, file }: Source,
    table: ReturnType<typeof readTable> | null,
    mapping: Mapping | null,
  ): Promise<void> => {
    if (isBusy) return;
    if (slug === null) {
      onNeeded();
      return;
    }
    setBusy(true);
    setProblem('');
    const made =
      table === null || mapping === null ? null : sentOf(table, mapping, texts.many.column);
    const isAsGiven = made === null || made.isUnchanged;
    const blob = isAsGiven ? (file ?? new Blob([text ?? ''])) : new Blob([made.text]);
    const what = `${slug} ${file?.name ?? ''} ${String(blob.size)} ${isAsGiven ? (text ?? '') : made.text}`;
    if (last.current.what !== what) last.current = { what, repeatKey: newUuid() };
    try {
      const { repeatKey } = last.current;
      const { id, linkKey } = await sendImport(slug, blob, { repeatKey, language });
      const addedLines = made?.addedLines ?? 0;
      keepImport({
        ...{ id, batch: id, userId: user.id, vacancy: slug, linkKey, addedLines, lines: null },
        at: Date.now(),
      });
      onSent(
        id,
        table === null || mapping === null ? null : sentRowsOf(table, mapping, texts.many.column),
      );
    } catch (error) {
      setProblem(inWords(error));
    } finally {
      setBusy(false);
    }
  };
  return { send, problem, isBusy };
}

interface SourceFieldProps {
  text: string;
  onText: (text: string) => void;
  take: (file: File) => Promise<void>;
}

/** A field to paste into, which takes a file that is dropped on it, and a button for a file. */
function SourceField({ text, onText, take }: SourceFieldProps) {
  const texts = useInvitationTexts();
  const input = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent): void => {
    const [file] = event.dataTransfer.files;
    if (file === undefined) return;
    event.preventDefault();
    void take(file);
  };
  return (
    <div className="source">
      <Textarea
        label={texts.many.paste}
        description={texts.many.pasteNote}
        rows={text === '' ? 8 : 5}
        value={text}
        spellCheck={false}
        wrap="off"
        classNames={{ input: 'source-text' }}
        onDrop={onDrop}
        onChange={(event) => onText(event.currentTarget.value)}
      />
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) void take(file);
          event.currentTarget.value = '';
        }}
      />
      {text === '' && (
        <Button variant="default" onClick={() => input.current?.click()}>
          {texts.many.file}
        </Button>
      )}
    </div>
  );
}
