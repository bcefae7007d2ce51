/** One vacancy of the list. */
import { useRef } from 'react';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { searchOf } from '../interviews/filters';
import type { InterviewState } from '../interviews/filters';
import { invitingTo } from '../invitations/places';
import { HOME } from '../places';
import { Icon } from '../shell/icon';
import { useSession } from '../shell/session';
import type { CountedVacancy } from './calls';
import { vacancyAt } from './places';
import { useVacanciesTexts } from './texts';
import type { VacancyActions } from './vacancies-page';

interface VacancyRowProps {
  vacancy: CountedVacancy;
  hasDraft: boolean;
  actions: VacancyActions;
}

export function VacancyRow({ vacancy, hasDraft, actions }: VacancyRowProps) {
  const texts = useVacanciesTexts();
  const { scopes } = useSession();
  const { slug, title, company, questions, state } = vacancy;
  return (
    <li className="vacancy" data-closed={state === 'closed'}>
      <div className="vacancy-what">
        <Link href={vacancyAt(slug)} className="vacancy-link">
          {title}
        </Link>
        {state === 'closed' && <span className="tag">{texts.closed}</span>}
        {hasDraft && <span className="tag">{texts.draft}</span>}
        <span className="soft vacancy-company">
          {company} · {texts.questions(questions)}
        </span>
      </div>
      <Counts vacancy={vacancy} />
      {state === 'open' && scopes.includes('invitations:write') && (
        <Button
          component={Link}
          href={invitingTo(slug)}
          variant="default"
          size="sm"
          className="vacancy-invite"
          aria-label={texts.inviteTo(title)}
        >
          {texts.invite}
        </Button>
      )}
      <RowMenu vacancy={vacancy} actions={actions} />
    </li>
  );
}

/** Each count leads to the interviews that it counts. */
function Counts({ vacancy: { slug, title, interviews } }: { vacancy: CountedVacancy }) {
  const { counts } = useVacanciesTexts();
  if (interviews === undefined) return <span />;
  const { running, waiting, finished } = interviews;
  const all: [number, (count: number) => string, InterviewState | null][] = [
    [waiting, counts.waiting, 'needs_person'],
    [running, counts.running, null],
    [finished, counts.finished, null],
  ];
  const shown = all.filter(([count]) => count > 0);
  return (
    <div className="vacancy-counts">
      {shown.length === 0 && <span className="soft">{counts.none}</span>}
      {shown.map(([count, words, state]) => (
        <Link
          key={words(1)}
          href={HOME + searchOf({ state, vacancy: slug, text: '' })}
          className="vacancy-count"
          data-waits={state === 'needs_person'}
        >
          {words(count)}
          <span className="for-readers">: {title}</span>
        </Link>
      ))}
    </div>
  );
}

function RowMenu({ vacancy, actions }: Omit<VacancyRowProps, 'hasDraft'>) {
  const texts = useVacanciesTexts();
  const { scopes } = useSession();
  const target = useRef<HTMLButtonElement>(null);
  const act = (action: (vacancy: CountedVacancy) => void) => (): void => {
    // A dialog gives the focus back to it; the item is gone by then.
    target.current?.focus();
    action(vacancy);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          ref={target}
          className="vacancy-menu"
          aria-label={texts.actionsOf(vacancy.title)}
        >
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={act(actions.showLink)}>{texts.link.open}</Menu.Item>
        {scopes.includes('previews:write') && (
          <Menu.Item onClick={act(actions.preview)}>{texts.preview.open}</Menu.Item>
        )}
        {scopes.includes('vacancies:write') && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={act(actions.setClosed)}>
              {vacancy.state === 'open' ? texts.close.action : texts.reopen.action}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
