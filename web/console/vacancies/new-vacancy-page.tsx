/** A vacancy that is not stored yet: an example, or what was made of it in this browser. */
import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { asProblem } from '../api/problem';
import { BusyButton } from '../shell/busy-button';
import { failed, told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { useProblem } from '../shell/use-problem';
import { FileRefused, createVacancy } from './calls';
import { Drafts, NEW, browserStorage } from './draft';
import { exampleOf, isSlug, readExample } from './examples';
import { VACANCIES, vacancyAt } from './places';
import { useVacanciesTexts } from './texts';
import { useDraft } from './use-draft';
import { useRefused } from './use-refused';
import { DraftBar, Workbench } from './workbench';
import './vacancies.css';

export function NewVacancyPage() {
  const { page } = useVacanciesTexts();
  const { user } = useSession();
  const query = new URLSearchParams(useSearch());
  const example = exampleOf(query.get('example'));
  const slug = query.get('slug') ?? '';
  const isChosen = example !== null && isSlug(slug);
  const [kept] = useState(() => new Drafts(user.id, browserStorage()).read(NEW));
  const { data, error, refetch } = useQuery({
    queryKey: ['example', example, slug],
    queryFn: () => (example === null ? '' : readExample(example, slug)),
    enabled: isChosen,
    staleTime: Infinity,
  });
  // Without an example there is only what was begun before.
  if (!isChosen && kept === null) return <Redirect to={VACANCIES} replace />;
  const text = isChosen ? data : '';
  if (text !== undefined) return <New key={slug} text={text} />;
  return (
    <Page title={page.newTitle}>
      {error === null ? <Waiting rows={4} /> : <NotLoaded error={error} onAgain={refetch} />}
    </Page>
  );
}

function New({ text }: { text: string }) {
  const texts = useVacanciesTexts();
  const problemWords = useProblem(useVacanciesTexts().problems);
  const [, navigate] = useLocation();
  const { user } = useSession();
  const queries = useQueryClient();
  const [stored] = useState({ text, version: null });
  const draft = useDraft(user.id, NEW, stored);
  const [isBusy, setBusy] = useState(false);
  const { refused, setRefused } = useRefused(draft.text);
  const create = async (): Promise<void> => {
    if (isBusy) return;
    const { text: sent } = draft;
    setBusy(true);
    setRefused(null);
    try {
      const { slug } = await createVacancy(sent);
      draft.forget();
      told(texts.page.created);
      await queries.invalidateQueries({ queryKey: ['vacancies'] });
      navigate(vacancyAt(slug), { replace: true });
    } catch (error) {
      const problem = asProblem(error);
      if (problem instanceof FileRefused) {
        setRefused({ text: sent, problems: problem.problems });
      }
      failed(problemWords(problem));
      setBusy(false);
    }
  };
  return (
    <Page
      title={texts.page.newTitle}
      isWide
      actions={
        <BusyButton isBusy={isBusy} onClick={() => void create()}>
          {isBusy ? texts.page.saving : texts.page.create}
        </BusyButton>
      }
    >
      <p className="vacancy-way">
        <Link href={VACANCIES}>{texts.page.back}</Link>
      </p>
      <div className="vacancy-bar">
        <DraftBar draft={draft} mayPutAside={false} />
      </div>
      <Workbench
        draft={draft}
        canWrite
        refused={refused}
        onChange={draft.change}
        onSave={() => void create()}
      />
    </Page>
  );
}
