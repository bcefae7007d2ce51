/** What can be done with an invitation. */
import { useRef } from 'react';
import { ActionIcon, Menu } from '@mantine/core';
import { useLocation } from 'wouter';
import { Icon } from '../shell/icon';
import type { Invitation } from './calls';
import { nameOf } from './row';
import type { RowActions } from './row';
import { useInvitationTexts } from './texts';

interface InvitationMenuProps {
  invitation: Invitation;
  mayWrite: boolean;
  actions: RowActions;
}

export function InvitationMenu({ invitation, mayWrite, actions }: InvitationMenuProps) {
  const texts = useInvitationTexts();
  const [, navigate] = useLocation();
  const target = useRef<HTMLButtonElement>(null);
  const { interviewId, isLatest, state } = invitation;
  const mayReissue = mayWrite && isLatest;
  const mayRevoke = mayWrite && state !== 'revoked';
  if (interviewId === null && !mayReissue && !mayRevoke) return null;
  const act = (action: (invitation: Invitation) => void) => (): void => {
    // A dialog gives the focus back to it; the item is gone by then.
    target.current?.focus();
    action(invitation);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          ref={target}
          className="invitation-menu"
          aria-label={texts.actionsOf(nameOf(invitation) ?? texts.nameless)}
        >
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {interviewId !== null && (
          <Menu.Item onClick={() => navigate(`/console/interviews/${interviewId}`)}>
            {texts.openInterview}
          </Menu.Item>
        )}
        {mayReissue && <Menu.Item onClick={act(actions.reissue)}>{texts.reissue.action}</Menu.Item>}
        {mayRevoke && (
          <>
            <Menu.Divider />
            <Menu.Item className="item-grave" onClick={act(actions.revoke)}>
              {texts.revoke.action}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
