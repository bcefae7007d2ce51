/** One vacancy: its file in an editor, how it reads, what belongs to it, and what it was. */
import { useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { asProblem } from '../api/problem';
import { invitingTo } from '../invitations/places';
import { BusyButton } from '../shell/busy-button';
import { failed, told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { useProblem } from '../shell/use-problem';
import { FileRefused, readVacancy, saveFile } from './calls';
import type { FileProblem, StoredVacancy } from './calls';
import { Conflict } from './conflict';
import { Files } from './files';
import { VACANCIES } from './places';
import { PreviewDialog } from './preview-dialog';
import { useVacanciesTexts } from './texts';
import { useDraft } from './use-draft';
import { useRefused } from './use-refused';
import { Versions } from './versions';
import { DraftBar, Workbench } from './workbench';
import './vacancies.css';

export function VacancyPage({ slug }: { slug: string }) {
  const texts = useVacanciesTexts();
  const problemWords = useProblem(useVacanciesTexts().problems);
  const { data, error, refetch } = useQuery({
    queryKey: ['vacancy', slug],
    queryFn: ({ signal }) => readVacancy(slug, signal),
  });
  if (data !== undefined) return <Stored key={slug} vacancy={data} />;
  const isUnknown = error !== null && asProblem(error).status === 404;
  return (
    <Page title={texts.title}>
      {error === null ? (
        <Waiting rows={4} />
      ) : isUnknown ? (
        <p className="page-lead">{problemWords(asProblem(error))}</p>
      ) : (
        <NotLoaded error={error} onAgain={refetch} />
      )}
    </Page>
  );
}

function Stored({ vacancy }: { vacancy: StoredVacancy }) {
  const texts = useVacanciesTexts();
  const { slug, title, state } = vacancy;
  const { user, scopes } = useSession();
  const queries = useQueryClient();
  const draft = useDraft(user.id, slug, vacancy);
  const [isPreviewing, setPreviewing] = useState(false);
  const canWrite = scopes.includes('vacancies:write');
  const readAgain = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['vacancy', slug] }),
      queries.invalidateQueries({ queryKey: ['vacancies'] }),
    ]);
  const saving = useSaving(vacancy, draft, readAgain);
  return (
    <Page
      title={title}
      isWide
      actions={
        <div className="vacancy-actions">
          {state === 'open' && scopes.includes('invitations:write') && (
            <Button component={Link} href={invitingTo(slug)} variant="default">
              {texts.invite}
            </Button>
          )}
          {scopes.includes('previews:write') && (
            <Button variant="default" onClick={() => setPreviewing(true)}>
              {texts.preview.open}
            </Button>
          )}
          {canWrite && (
            <BusyButton isBusy={saving.isBusy || !draft.isChanged} onClick={saving.save}>
              {saving.isBusy ? texts.page.saving : texts.page.save}
            </BusyButton>
          )}
        </div>
      }
    >
      <p className="vacancy-way">
        <Link href={VACANCIES}>{texts.page.back}</Link>
        {state === 'closed' && <span className="tag">{texts.closed}</span>}
      </p>
      {canWrite && (
        <div className="vacancy-bar">
          {!saving.isBusy && (
            <Conflict
              slug={slug}
              draft={draft}
              isAsked={saving.isConflict}
              onChosen={saving.chosen}
            />
          )}
          <DraftBar draft={draft} mayPutAside />
        </div>
      )}
      <Workbench
        draft={draft}
        canWrite={canWrite}
        refused={saving.refused}
        onChange={draft.change}
        onSave={saving.save}
      />
      <Files
        vacancy={vacancy}
        canWrite={canWrite}
        isChanged={draft.isChanged}
        onStored={readAgain}
      />
      <Versions slug={slug} canWrite={canWrite} onUse={draft.change} />
      <PreviewDialog
        slug={isPreviewing ? slug : null}
        isChanged={draft.isChanged}
        onClose={() => setPreviewing(false)}
      />
    </Page>
  );
}

interface Saving {
  isBusy: boolean;
  /** Mistakes for which this text was not saved. */
  refused: readonly FileProblem[] | null;
  /** The last save was refused because somebody else has changed the file. */
  isConflict: boolean;
  save: () => void;
  chosen: () => void;
}

function useSaving(
  { slug, version }: StoredVacancy,
  draft: ReturnType<typeof useDraft>,
  readAgain: () => Promise<unknown>,
): Saving {
  const { page } = useVacanciesTexts();
  const problemWords = useProblem(useVacanciesTexts().problems);
  const [isBusy, setBusy] = useState(false);
  const { refused, setRefused } = useRefused(draft.text);
  const [isConflict, setConflict] = useState(false);
  const save = async (): Promise<void> => {
    if (isBusy || !draft.isChanged) return;
    const sent = draft.text;
    setBusy(true);
    setRefused(null);
    try {
      const stored = await saveFile(slug, sent, draft.base ?? version);
      draft.saved(sent, stored);
      told(page.saved);
      await readAgain();
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === 'version_differs') {
        await readAgain();
        setConflict(true);
      } else {
        if (problem instanceof FileRefused) {
          setRefused({ text: sent, problems: problem.problems });
        }
        failed(problemWords(problem));
      }
    } finally {
      setBusy(false);
    }
  };
  return {
    ...{ isBusy, refused, isConflict },
    save: () => void save(),
    chosen: () => setConflict(false),
  };
}
