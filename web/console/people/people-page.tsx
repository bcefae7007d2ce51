/** Colleagues and pending invitations: who may what, and who is in. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { listUsers } from '../api/calls';
import type { NewLink, User } from '../api/calls';
import { useTexts } from '../language';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { Icon } from '../shell/icon';
import { useKeys, useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Waiting } from '../shell/sentence';
import { SESSION } from '../shell/session';
import { useVacancies, useVacanciesInWords } from '../vacancies';
import { ChangeDialog } from './change-dialog';
import { InvitationRow } from './invitation-row';
import { InviteDialog } from './invite-dialog';
import { LinkDialog } from './link-dialog';
import { UserRow } from './user-row';

const USERS = ['users'] as const;

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
  const { data, error, refetch } = useQuery({ queryKey: USERS, queryFn: listUsers });
  const { vacancies } = useVacancies();
  const inWords = useVacanciesInWords();
  const [question, setQuestion] = useState<Question | null>(null);
  const [changing, setChanging] = useState<User | null>(null);
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<FreshLink | null>(null);
  const rows = useRef<HTMLDivElement>(null);
  useListKeys(rows, '.person-menu');
  useKeys({ n: () => setInviting(true) });
  // Of a row that has gone.
  useLostFocus(data, focusPageTitle);
  const actions: PeopleActions = {
    ask: setQuestion,
    change: setChanging,
    show: setLink,
    changed: (message) => {
      told(message);
      void queries.invalidateQueries({ queryKey: USERS });
      // It may have been oneself.
      void queries.invalidateQueries({ queryKey: SESSION });
    },
  };
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
      {data === undefined &&
        (error === null ? <Waiting rows={4} /> : <NotLoaded error={error} onAgain={refetch} />)}
      <div ref={rows}>
        {invitations.length > 0 && (
          <section className="people" aria-labelledby="invitations">
            <h2 id="invitations">{texts.people.invitations}</h2>
            <ul>
              {invitations.map((one) => (
                <InvitationRow key={one.id} invitation={one} inWords={inWords} actions={actions} />
              ))}
            </ul>
          </section>
        )}
        {users.length > 0 && (
          <section className="people" aria-labelledby="colleagues">
            <h2 id="colleagues">{texts.people.colleagues(users.length)}</h2>
            <ul>
              {users.map((one) => (
                <UserRow key={one.id} user={one} inWords={inWords} actions={actions} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <InviteDialog
        opened={isInviting}
        vacancies={vacancies}
        onClose={() => setInviting(false)}
        onInvited={(fresh) => {
          setInviting(false);
          setLink(fresh);
          void queries.invalidateQueries({ queryKey: USERS });
        }}
      />
      <ChangeDialog
        user={changing}
        vacancies={vacancies}
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
