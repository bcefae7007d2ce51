/** A link that nobody has used yet. */
import { Button } from '@mantine/core';
import { colleagueOf } from '../actor';
import { revokeInvitation } from '../api/calls';
import type { Invitation } from '../api/calls';
import { useTexts } from '../language';
import { Moment } from '../moments';
import type { VacanciesInWords } from '../vacancies';
import type { PeopleActions } from './people-page';

interface InvitationRowProps {
  invitation: Invitation;
  inWords: VacanciesInWords;
  actions: PeopleActions;
}

export function InvitationRow({ invitation, inWords, actions }: InvitationRowProps) {
  const { people, roles } = useTexts();
  const { id, kind, name, email, role, vacancies, createdBy, expiresAt } = invitation;
  const who = name ?? email ?? people.somebody;
  const inviter = colleagueOf(createdBy);
  const revoke = (): void => {
    actions.ask({
      title: people.revoke.title(who),
      text: people.revoke.text,
      action: people.revoke.action,
      isGrave: true,
      run: async () => {
        await revokeInvitation(id);
        actions.changed(people.revoke.done);
      },
    });
  };
  return (
    <li className="person">
      <span className="shell-letter shell-letter-open" aria-hidden="true">
        {name === null ? '?' : Array.from(name)[0]}
      </span>
      <div className="person-who">
        <strong>{who}</strong>
        {kind === 'password' && <span className="tag">{people.newPassword}</span>}
        {name !== null && <span className="soft person-mail">{email}</span>}
      </div>
      <div className="person-role">
        {role !== null && <span>{roles[role].name}</span>}
        {role !== null && <span className="soft">{inWords(vacancies)}</span>}
      </div>
      <div className="person-seen">
        <span>{inviter === null ? people.madeAtServer : people.invitedBy(inviter)}</span>
        <span className="soft">
          {people.until} <Moment at={expiresAt} />
        </span>
      </div>
      <Button
        className="person-menu"
        variant="subtle"
        size="sm"
        aria-label={people.revoke.title(who)}
        onClick={revoke}
      >
        {people.revoke.action}
      </Button>
    </li>
  );
}
