/**
 * A button that ignores presses while what it began is under way. It is not `disabled`, which would take
 * the focus away: when the request has failed, it can be pressed again at once.
 */
import type { ComponentProps } from 'react';

interface BusyButtonProps extends ComponentProps<'button'> {
  isBusy: boolean;
}

export function BusyButton({ isBusy, onClick, type = 'button', ...props }: BusyButtonProps) {
  return (
    <button
      {...props}
      type={type}
      aria-disabled={isBusy}
      // Also no form is submitted.
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  );
}
