/** The links of an import for a mail merge: read with the key that only this browser has, and saved as CSV. */
import { useId, useState } from 'react';
import { saveFile } from '../../../src/platform';
import { useLanguage } from '../../language';
import { BusyButton } from '../../shell/busy-button';
import { readLinks } from '../calls';
import type { ImportRow } from '../calls';
import { useInvitationTexts, useProblemInWords } from '../texts';
import type { SentRows } from './correction';
import { forgetLinkKey, lineOf } from './kept-imports';
import type { KeptImport } from './kept-imports';
import { linksFile } from './links-file';
import type { LinkedRow } from './links-file';

interface LinksSectionProps {
  /** The slug. */
  vacancy: string;
  /** The imports of the file, in their order. */
  kept: readonly KeptImport[];
  ids: readonly string[];
  sent: SentRows | null;
}

export function LinksSection({ vacancy, kept, ids, sent }: LinksSectionProps) {
  const texts = useInvitationTexts();
  const { links } = texts.import;
  const { language } = useLanguage();
  const inWords = useProblemInWords();
  const title = useId();
  /** As long as the page is open, a download that went wrong can be repeated. */
  const [keys, setKeys] = useState<ReadonlyMap<string, string>>(new Map());
  const [isDone, setDone] = useState(false);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const known = new Map([
    ...keys,
    ...kept.flatMap(({ id, linkKey }) => (linkKey === null ? [] : [[id, linkKey] as const])),
  ]);
  const download = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      const rows: LinkedRow[] = [];
      for (const [id, linkKey] of known) {
        const one = kept.find((each) => each.id === id) ?? null;
        rows.push(...(await linkedRows(id, linkKey)).map((row) => linked(row, one, sent)));
      }
      rows.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
      const file = linksFile(rows, {
        ...{ headers: sent?.headers ?? null, words: links.columns, language },
      });
      saveFile(`${links.file}-${vacancy}.csv`, new Blob([file], { type: 'text/csv' }));
      setKeys(known);
      setDone(true);
      for (const id of known.keys()) forgetLinkKey(id);
    } catch (error) {
      setProblem(inWords(error));
    } finally {
      setBusy(false);
    }
  };
  const isUnknown = ids.every((id) => !known.has(id));
  return (
    <section className="section" aria-labelledby={title}>
      <h2 id={title}>{links.title}</h2>
      <p className="soft" role="status">
        {isUnknown ? links.unknown : isDone ? links.done : links.text}
      </p>
      <p className="form-error" role="alert">
        {problem}
      </p>
      {!isUnknown && (
        <p>
          <BusyButton
            isBusy={isBusy}
            {...(isDone ? { variant: 'default' } : {})}
            onClick={() => void download()}
          >
            {isBusy ? links.busy : isDone ? links.again : links.action}
          </BusyButton>
        </p>
      )}
    </section>
  );
}

async function linkedRows(id: string, linkKey: string): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readLinks>> = await readLinks(id, linkKey, cursor);
    rows.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return rows;
}

function linked(row: ImportRow, one: KeptImport | null, sent: SentRows | null): LinkedRow {
  const line = lineOf(one, row);
  const { externalId, link } = row;
  if (link === null) throw new Error('a created row has no link');
  return { line, externalId, link, cells: line === null ? null : (sent?.rows.get(line) ?? null) };
}
