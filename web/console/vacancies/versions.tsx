/** What the file was: who changed it and when, what they changed, and how to take it up again. */
import { useId, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { colleagueOf } from '../actor';
import { useLanguage } from '../language';
import { Moment, momentOf } from '../moments';
import { Dialog } from '../shell/dialog';
import { told } from '../shell/notice';
import { NotLoaded, Waiting } from '../shell/sentence';
import { listVersions, readVersion } from './calls';
import type { Version } from './calls';
import { Difference } from './difference';
import { useVacanciesTexts } from './texts';
import type { VacanciesTexts } from './texts';

interface VersionsProps {
  slug: string;
  canWrite: boolean;
  /** Puts a text into the editor. */
  onUse: (text: string) => void;
}

/** A version and the one before it. */
interface Shown {
  version: Version;
  before: Version | null;
}

export function Versions({ slug, canWrite, onUse }: VersionsProps) {
  const { versions: words } = useVacanciesTexts();
  const { language } = useLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: ['vacancy', slug, 'versions'],
    queryFn: () => listVersions(slug),
  });
  const [shown, setShown] = useState<Shown | null>(null);
  const title = useId();
  const items = data?.items ?? [];
  const whenOf = ({ madeAt }: Version): string =>
    madeAt === null ? words.before : momentOf(new Date(madeAt), language);
  return (
    <section className="section" aria-labelledby={title}>
      <h2 id={title}>{words.title}</h2>
      <p className="page-lead">{words.lead}</p>
      {data === undefined &&
        (error === null ? <Waiting rows={2} /> : <NotLoaded error={error} onAgain={refetch} />)}
      <ol className="versions">
        {items.map((one, n) => (
          <li key={items.length - n}>
            <span>
              {one.madeAt === null ? words.before : <Moment at={one.madeAt} />}
              {one.isCurrent && <span className="tag">{words.current}</span>}
            </span>
            <span className="soft">{makerOf(one, words)}</span>
            <Button
              variant="subtle"
              size="sm"
              aria-label={words.showOf(whenOf(one))}
              onClick={() => setShown({ version: one, before: items[n + 1] ?? null })}
            >
              {words.show}
            </Button>
          </li>
        ))}
      </ol>
      <VersionDialog
        slug={slug}
        shown={shown}
        when={shown === null ? '' : whenOf(shown.version)}
        canWrite={canWrite}
        onUse={(text) => {
          setShown(null);
          onUse(text);
          told(words.used);
        }}
        onClose={() => setShown(null)}
      />
    </section>
  );
}

interface VersionDialogProps extends VersionsProps {
  shown: Shown | null;
  when: string;
  onClose: () => void;
}

function VersionDialog({
  slug,
  shown: given,
  canWrite,
  onUse,
  onClose,
  ...props
}: VersionDialogProps) {
  const { versions: words } = useVacanciesTexts();
  // Stays readable while the dialog fades out.
  const [kept, setKept] = useState({ shown: given, when: props.when });
  if (given !== null && given !== kept.shown) setKept({ shown: given, when: props.when });
  const { shown, when } = kept;
  const { data, error, refetch } = useQuery({
    queryKey: ['vacancy', slug, 'version', shown?.version.version, shown?.before?.version],
    queryFn: async () => {
      const [file, before] = await Promise.all(
        [shown?.version, shown?.before].map(async (one) =>
          one == null ? null : readVersion(slug, one.version),
        ),
      );
      return { file: file?.file ?? '', before: before?.file ?? null };
    },
    enabled: given !== null,
    // A version never changes.
    staleTime: Infinity,
  });
  return (
    <Dialog opened={given !== null} title={words.changes(when)} onClose={onClose}>
      {data === undefined ? (
        error === null ? (
          <Waiting rows={3} />
        ) : (
          <NotLoaded error={error} onAgain={refetch} />
        )
      ) : (
        <>
          {data.before === null && <p>{words.first}</p>}
          <Difference before={data.before ?? ''} after={data.file} />
        </>
      )}
      <div className="dialog-actions">
        {canWrite && data !== undefined && shown?.version.isCurrent === false && (
          <Button variant="default" onClick={() => onUse(data.file)}>
            {words.use}
          </Button>
        )}
        <Button data-autofocus onClick={onClose}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  );
}

function makerOf({ madeBy }: Version, words: VacanciesTexts['versions']): string {
  if (madeBy === null) return '';
  const colleague = colleagueOf(madeBy);
  if (colleague !== null) return colleague;
  if (madeBy === 'command line') return words.commandLine;
  const key = /^key (.+)$/.exec(madeBy)?.[1];
  return key === undefined ? words.somebody : words.key(key);
}
