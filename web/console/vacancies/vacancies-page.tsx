/** All vacancies that the person reaches: how many interviews each has, and what can be done with it. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { Icon } from '../shell/icon';
import { useKeys, useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { closeVacancy, listCounted, reopenVacancy } from './calls';
import type { CountedVacancy } from './calls';
import { Drafts, NEW, browserStorage } from './draft';
import { ExampleDialog } from './example-dialog';
import { OpenLinkDialog } from './link-dialog';
import { NEW_VACANCY } from './places';
import { PreviewDialog } from './preview-dialog';
import { useVacanciesTexts } from './texts';
import { VacancyRow } from './vacancy-row';
import './vacancies.css';

const NONE: readonly CountedVacancy[] = [];

/** What the rows ask of their page. */
export interface VacancyActions {
  showLink: (vacancy: CountedVacancy) => void;
  preview: (vacancy: CountedVacancy) => void;
  setClosed: (vacancy: CountedVacancy) => void;
}

export function VacanciesPage() {
  const texts = useVacanciesTexts();
  const { user, scopes } = useSession();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['vacancies', 'counts'],
    queryFn: listCounted,
  });
  const [question, setQuestion] = useState<Question | null>(null);
  const [link, setLink] = useState<CountedVacancy | null>(null);
  const [preview, setPreview] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const rows = useRef<HTMLDivElement>(null);
  const canWrite = scopes.includes('vacancies:write');
  const drafts = new Drafts(user.id, browserStorage());
  const hasNew = canWrite && drafts.read(NEW) !== null;
  useListKeys(rows, '.vacancy-link');
  useKeys(canWrite ? { n: () => setAdding(true) } : {});
  useLostFocus(data, focusPageTitle);
  const setClosed = ({ slug, title, state, interviews }: CountedVacancy): void => {
    const isOpen = state === 'open';
    const words = isOpen ? texts.close : texts.reopen;
    setQuestion({
      title: words.title(title),
      text: isOpen ? texts.close.text(interviews?.running ?? null) : texts.reopen.text,
      action: words.action,
      run: async () => {
        await (isOpen ? closeVacancy(slug) : reopenVacancy(slug));
        told(words.done);
        await Promise.all([
          queries.invalidateQueries({ queryKey: ['vacancies'] }),
          queries.invalidateQueries({ queryKey: ['vacancy', slug] }),
        ]);
      },
    });
  };
  const actions: VacancyActions = {
    showLink: setLink,
    preview: ({ slug }) => setPreview(slug),
    setClosed,
  };
  const vacancies = data?.items ?? NONE;
  return (
    <Page
      title={texts.title}
      actions={
        canWrite && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        )
      }
    >
      <p className="page-lead">{texts.lead}</p>
      {data === undefined &&
        (error === null ? <Waiting rows={4} /> : <NotLoaded error={error} onAgain={refetch} />)}
      {data !== undefined && vacancies.length === 0 && !hasNew && <Sentence {...texts.empty} />}
      <div ref={rows}>
        <ul className="vacancies">
          {hasNew && (
            <li className="vacancy">
              <div className="vacancy-what">
                <Link href={NEW_VACANCY} className="vacancy-link">
                  {texts.newDraft.title}
                </Link>
                <span className="tag">{texts.draft}</span>
                <span className="soft vacancy-company">{texts.newDraft.text}</span>
              </div>
            </li>
          )}
          {vacancies.map((one) => (
            <VacancyRow
              key={one.slug}
              vacancy={one}
              hasDraft={canWrite && drafts.read(one.slug) !== null}
              actions={actions}
            />
          ))}
        </ul>
      </div>
      <ExampleDialog opened={isAdding} drafts={drafts} onClose={() => setAdding(false)} />
      <OpenLinkDialog vacancy={link} onClose={() => setLink(null)} />
      <PreviewDialog slug={preview} onClose={() => setPreview(null)} />
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </Page>
  );
}
