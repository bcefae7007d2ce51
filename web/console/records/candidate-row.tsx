/** A candidate: how to know them, where they were interviewed, and what can be done for them. */
import { useRef } from 'react';
import { ActionIcon, Menu } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { Ago } from '../moments';
import { HOME } from '../places';
import { Icon } from '../shell/icon';
import { useSession } from '../shell/session';
import { useVacancies } from '../vacancies';
import type { Candidate } from './calls';
import { RECORDS } from './tabs';
import { useRecordsTexts } from './texts';

interface CandidateRowProps {
  candidate: Candidate;
  onExport: () => void;
  onErase: () => void;
}

export function CandidateRow({ candidate, onExport, onErase }: CandidateRowProps) {
  const { candidates } = useRecordsTexts();
  const { titles } = useVacancies();
  const { name, contact, externalIds, interviews, heldSince, createdAt } = candidate;
  return (
    <li className="person candidate">
      <div className="person-who">
        <strong>{name ?? candidates.nameless}</strong>
        {heldSince !== null && <span className="tag tag-grave">{candidates.held}</span>}
        <span className="soft">{[contact, ...externalIds].filter(Boolean).join(' · ')}</span>
      </div>
      <div className="person-role">
        {interviews.length === 0 && <span className="soft">{candidates.noInterview}</span>}
        {interviews.map(({ id, vacancy }) => (
          <Link key={id} href={`${HOME}/${id}`} className="candidate-interview">
            {titles.get(vacancy) ?? vacancy}
          </Link>
        ))}
      </div>
      <div className="person-seen soft">
        <Ago at={createdAt} />
      </div>
      <CandidateMenu candidate={candidate} onExport={onExport} onErase={onErase} />
    </li>
  );
}

function CandidateMenu({ candidate, onExport, onErase }: CandidateRowProps) {
  const { candidates } = useRecordsTexts();
  const { scopes } = useSession();
  const [, navigate] = useLocation();
  const target = useRef<HTMLButtonElement>(null);
  const act = (action: () => void) => (): void => {
    // A dialog gives the focus back to it; the item is gone by then.
    target.current?.focus();
    action();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          ref={target}
          className="person-menu"
          aria-label={candidates.actionsOf(candidate.name ?? candidates.nameless)}
        >
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={act(onExport)}>{candidates.export.open}</Menu.Item>
        {scopes.includes('keys:write') && (
          <Menu.Item onClick={() => navigate(`${RECORDS}/audit?subject=${candidate.id}`)}>
            {candidates.inAudit}
          </Menu.Item>
        )}
        {scopes.includes('candidates:erase') && (
          <>
            <Menu.Divider />
            <Menu.Item className="item-grave" onClick={act(onErase)}>
              {candidates.erase.open}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
