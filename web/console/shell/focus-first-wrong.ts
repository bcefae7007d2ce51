/** For the forms of Mantine: when something is wrong, the focus goes to the first field of it. */
interface Form {
  getInputNode: (path: string) => Element | null;
}

export function focusFirstWrong(form: Form): (errors: Readonly<Record<string, unknown>>) => void {
  return (errors) => {
    const [path] = Object.keys(errors);
    const field = path === undefined ? null : form.getInputNode(path);
    if (field instanceof HTMLElement) field.focus();
  };
}
