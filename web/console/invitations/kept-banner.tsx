/** Above the list: imports of this browser that run, or whose links were not downloaded yet. */
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { Question } from '../shell/dialog';
import { useSession } from '../shell/session';
import { useVacancies } from '../vacancies';
import { forgetImport, useKeptImports } from './many/kept-imports';
import type { KeptImport } from './many/kept-imports';
import { useImports } from './many/use-import';
import { importAt } from './places';
import { useInvitationTexts } from './texts';

type Ask = (question: Question) => void;

export function KeptImports({ ask }: { ask: Ask }) {
  const { user } = useSession();
  const kept = useKeptImports(user.id);
  const waiting = kept.filter(({ linkKey }) => linkKey !== null).map(({ batch }) => batch);
  if (waiting.length === 0) return null;
  return (
    <ul className="kept">
      {[...new Set(waiting)].map((batch) => (
        <KeptRow key={batch} kept={kept.filter((one) => one.batch === batch)} ask={ask} />
      ))}
    </ul>
  );
}

/** An import with its corrected rows. */
function KeptRow({ kept, ask }: { kept: readonly KeptImport[]; ask: Ask }) {
  const { kept: texts } = useInvitationTexts();
  const { titles } = useVacancies();
  const followed = useImports(
    kept.map(({ id }) => id),
    { hasRows: false },
  );
  const [last] = kept;
  const all = followed.flatMap(({ progress }) => progress ?? []);
  const rows = all.find(({ id }) => id === last?.batch)?.rows ?? 0;
  const created = all.reduce((sum, one) => sum + one.created, 0);
  const waiting = all.reduce((sum, one) => sum + one.waiting, 0);
  // Nothing is known yet, it is kept no more, or every row was refused.
  if (last === undefined || rows === 0 || (waiting === 0 && created === 0)) return null;
  const vacancy = titles.get(last.vacancy) ?? last.vacancy;
  return (
    <li className="kept-row">
      <p>
        {waiting > 0
          ? texts.running(vacancy, rows - waiting, rows)
          : texts.text(vacancy, rows, created, rows - created)}
      </p>
      <Button component={Link} href={importAt(last.batch)} size="sm" variant="default">
        {texts.open}
      </Button>
      {waiting === 0 && (
        <Button
          size="sm"
          variant="subtle"
          onClick={() =>
            ask({
              ...{ title: texts.ask.title, text: texts.ask.text, action: texts.ask.action },
              isGrave: true,
              run: () => {
                forgetImport(last.batch);
                return Promise.resolve();
              },
            })
          }
        >
          {texts.dismiss}
        </Button>
      )}
    </li>
  );
}
