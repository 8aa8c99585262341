"""Answers with eatiht's text of each page, one JSON object a line; runs under Python 2.

The protocol is in docs/protocol.md.
"""

import base64
import io
import json
import sys
import traceback

send = sys.stdout
sys.stdout = sys.stderr  # what a library prints is no answer

for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    try:
        if request["op"] == "load":
            import eatiht
            import pkg_resources

            packages = {each.key: each.version for each in pkg_resources.working_set}
            reply = {
                "protocol": 1,
                "name": "eatiht",
                "version": packages["eatiht"],
                "packages": [
                    "python==" + sys.version.split(None, 1)[0],
                    "lxml==" + packages["lxml"],
                    "chardet==" + packages["chardet"],
                ],
            }
        else:
            page = io.BytesIO(base64.b64decode(request["html_base64"]))
            reply = {"id": request["id"], "text": eatiht.extract(page)}
    except ImportError as error:
        reply = {"error": str(error) + "; type: python2 -m pip install eatiht==0.1.14"}
    except Exception:
        said = traceback.format_exc()
        reply = {"id": request.get("id"), "error": said.splitlines()[-1] + "\n" + said}
    send.write(json.dumps(reply) + "\n")
    send.flush()
