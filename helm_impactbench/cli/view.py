"""The command `impactbench view`."""

from __future__ import annotations

import webbrowser
from contextlib import closing, suppress
from pathlib import Path

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.finite import WholeRange


@click.command("view")
@options.suite()
@options.output_path
@click.option("--port", type=WholeRange(0, 65535), default=0, show_default="a free one", help="Port on 127.0.0.1.")
@click.option("--open/--no-open", "opens", default=True, show_default=True, help="Open a browser.")
@options.with_private
def view(suite: str, output_path: str, port: int, opens: bool, with_private: bool) -> None:
    """Read a suite in the browser, even during its run.

    The browser shows the report (without writing files), the progress of a run, and conversations to annotate.

    \b
      impactbench view --suite impact

    A small server on this machine (127.0.0.1) builds each page on request. Its address has a random token; requests
    without the token are refused. Ctrl-C stops the server.
    """
    from helm_impactbench.outputs.view.server import ViewServer
    from helm_impactbench.results.files import suite_folder

    folder = suite_folder(Path(output_path), suite)
    server = ViewServer(lambda request: app(request), port)
    with suppress(KeyboardInterrupt):
        click.echo(f"{server.address}\nCtrl-C ends it.")
        if opens:
            webbrowser.open(server.address)
        # After the address is there, because it takes a second: a browser that is quicker waits for its answer.
        from helm_impactbench.outputs.view.app import App

        app = App(folder, with_private=with_private)
        with closing(app):
            app.begin()
            server.serve_forever()
    server.server_close()
