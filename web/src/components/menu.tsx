/** The menu of rare actions: the other language, Telegram, one's data, and withdrawing. */
import type { RefObject } from 'react';
import { Icon } from './icons';
import { useLanguage } from './language';

interface MenuProps {
  button: RefObject<HTMLButtonElement | null>;
  onTelegram: (() => void) | null;
  onDownload: () => void;
  onLeave: () => void;
  onWithdraw: (() => void) | null;
  onErase: () => void;
}

export function Menu(props: MenuProps) {
  const { button, onTelegram, onDownload, onLeave, onWithdraw, onErase } = props;
  const { texts, choose } = useLanguage();
  const { other, switchTo } = texts.language;
  const closes = { popoverTarget: 'more', popoverTargetAction: 'hide' } as const;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={texts.menu}
        popoverTarget="more"
      >
        <Icon name="more" />
      </button>
      <div id="more" popover="auto" className="menu">
        <button type="button" lang={other} {...closes} onClick={() => choose(other)}>
          {switchTo}
        </button>
        {onTelegram && (
          <button type="button" {...closes} onClick={onTelegram}>
            {texts.telegram.open}
          </button>
        )}
        <button type="button" {...closes} onClick={onDownload}>
          {texts.myData.open}
        </button>
        <button type="button" {...closes} onClick={onLeave}>
          {texts.leave.open}
        </button>
        {onWithdraw && (
          <button type="button" className="grave" {...closes} onClick={onWithdraw}>
            {texts.withdraw.open}
          </button>
        )}
        <button type="button" className="grave" {...closes} onClick={onErase}>
          {texts.erase.open}
        </button>
      </div>
    </>
  );
}
