/** Mantine's button as the candidate page has it: while its request is under way it ignores presses and keeps the focus. */
import { Button } from '@mantine/core';
import type { ButtonProps, ElementProps } from '@mantine/core';

interface BusyButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  isBusy: boolean;
}

export function BusyButton({ isBusy, onClick, ...props }: BusyButtonProps) {
  return (
    <Button
      {...props}
      aria-disabled={isBusy}
      // Also no form is submitted.
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  );
}
