/** Colleagues and pending invitations: who may what, and who is in. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { listUsers, listVacancies } from '../api/calls';
import type { NewLink } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { Icon } from '../shell/icon';
import { useKeys, useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { SESSION } from '../shell/session';
import { ChangeDialog } from './change-dialog';
import { InvitationRow } from './invitation-row';
import { InviteDialog } from './invite-dialog';
import { LinkDialog } from './link-dialog';
import { UserRow } from './user-row';
import type { User } from '../api/calls';

/** A link that was just made: it is shown once. */
export interface FreshLink extends NewLink {
  kind: 'invitation' | 'password';
  /** Whose it is, where that is known. */
  name: string | null;
}

/** What the rows ask of their page. */
export interface PeopleActions {
  ask: (question: Question) => void;
  change: (user: User) => void;
  show: (link: FreshLink) => void;
  /** After a change: reads the list again and says what was done. */
  changed: (message: string) => void;
}

export function PeoplePage() {
  const texts = useTexts();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: ['users'], queryFn: listUsers });
  const vacancies = useQuery({
    queryKey: ['vacancies'],
    queryFn: listVacancies,
    staleTime: 60_000,
  });
  const [question, setQuestion] = useState<Question | null>(null);
  const [changing, setChanging] = useState<User | null>(null);
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<FreshLink | null>(null);
  const rows = useRef<HTMLDivElement>(null);
  useListKeys(rows, '.person-menu');
  useKeys({ n: () => setInviting(true) });
  const actions: PeopleActions = {
    ask: setQuestion,
    change: setChanging,
    show: setLink,
    changed: (message) => {
      told(message);
      void queries.invalidateQueries({ queryKey: ['users'] });
      // It may have been oneself.
      void queries.invalidateQueries({ queryKey: SESSION });
    },
  };
  const titles = new Map(vacancies.data?.items.map(({ slug, title }) => [slug, title]));
  const users = data?.users ?? [];
  const invitations = data?.invitations ?? [];
  return (
    <Page
      title={texts.people.title}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setInviting(true)}>
          {texts.people.invite.open}
        </Button>
      }
    >
      <p className="page-lead">{texts.people.lead}</p>
      {error !== null && data === undefined && (
        <div className="sentence">
          <h2>{texts.problem(asProblem(error))}</h2>
          <Button variant="default" onClick={() => void refetch()}>
            {texts.failed.again}
          </Button>
        </div>
      )}
      <div ref={rows} aria-busy={data === undefined && error === null}>
        {invitations.length > 0 && (
          <section className="people" aria-labelledby="invitations">
            <h2 id="invitations">{texts.people.invitations}</h2>
            <ul>
              {invitations.map((one) => (
                <InvitationRow key={one.id} invitation={one} titles={titles} actions={actions} />
              ))}
            </ul>
          </section>
        )}
        {users.length > 0 && (
          <section className="people" aria-labelledby="colleagues">
            <h2 id="colleagues">{texts.people.colleagues(users.length)}</h2>
            <ul>
              {users.map((one) => (
                <UserRow key={one.id} user={one} titles={titles} actions={actions} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <InviteDialog
        opened={isInviting}
        vacancies={vacancies.data?.items ?? []}
        onClose={() => setInviting(false)}
        onInvited={(fresh) => {
          setInviting(false);
          setLink(fresh);
          void queries.invalidateQueries({ queryKey: ['users'] });
        }}
      />
      <ChangeDialog
        user={changing}
        vacancies={vacancies.data?.items ?? []}
        onClose={() => setChanging(null)}
        onChanged={(user) => {
          setChanging(null);
          actions.changed(texts.people.change.done(user.name));
        }}
      />
      <LinkDialog link={link} onClose={() => setLink(null)} />
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </Page>
  );
}
